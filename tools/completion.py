"""`--completion SHELL`: a script that completes the command lines of `mlc-opt` and `mlc-translate`.

    source <(mlc-opt --completion bash)

Options, and behind `-p` and its like the names of passes, each after the last comma. Files are the shell's own matter.
"""

from __future__ import annotations

import shlex
from itertools import chain

from mlc_support.errors import MlcError
from mlc_support.parsing import nearest
from tools.options import LEVELS, MLC_OPT, MLC_TRANSLATE, Option
from tools.universe import STAGES, TARGETS, all_targets, pass_factories

_BASH = """\
_{function}() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words head
    COMPREPLY=()
    [[ $word == = ]] && word= && previous=${{COMP_WORDS[COMP_CWORD-1]}}
    [[ $previous == = ]] && previous=${{COMP_WORDS[COMP_CWORD-2]}}
    case $previous in
{cases}
        *) [[ $word == -* ]] || return
           words={options}; COMPREPLY=($(compgen -W "$words" -- "$word")); return ;;
    esac
    head=; [[ $word == *,* ]] && head=${{word%,*}},
    COMPREPLY=($(compgen -P "$head" -W "$words" -- "${{word##*,}}"))
}}
complete -o default -o nospace -F _{function} {tool}
"""
_SHELLS = ("bash", "zsh", "fish")


def script(shell: str) -> str:
    """The script of one shell. MlcError names those there are."""
    if shell not in _SHELLS:
        raise MlcError(f"--completion {shell}: no such shell", None, nearest(shell, _SHELLS) or ", ".join(_SHELLS))
    tools = {"mlc-opt": [*chain.from_iterable(MLC_OPT.values())], "mlc-translate": [*MLC_TRANSLATE]}
    if shell == "fish":
        return "\n".join(_fish(tool, option) for tool, options in tools.items() for option in options)
    # zsh reads what bash completes by, once it is asked to.
    head = "autoload -U +X bashcompinit && bashcompinit\n" if shell == "zsh" else ""
    return head + "\n".join(_bash(tool, options) for tool, options in tools.items())


def _words(option: Option) -> tuple[str, ...]:
    """What may follow an option; nothing where that is open."""
    match option.value:
        case "PASSES" | "PASS":
            return (*STAGES, *pass_factories())
        case "PASS,...":
            return tuple(pass_factories())
        case "LEVEL":
            return (*LEVELS, *(name for name in TARGETS if name not in LEVELS))
        case "TARGET":
            return tuple(all_targets())
        case "SHELL":
            return _SHELLS
        case _:
            return option.choices


def _bash(tool: str, options: list[Option]) -> str:
    names = " ".join(name for option in options for name in option.names)
    by_words: dict[tuple[str, ...], list[str]] = {}
    for option in options:
        by_words.setdefault(_words(option), []).extend(option.names)
    cases = "\n".join(
        f"        {'|'.join(flags)}) words={shlex.quote(' '.join(words))} ;;"
        for words, flags in by_words.items()
        if words
    )
    return _BASH.format(tool=tool, function=tool.replace("-", "_"), options=shlex.quote(names), cases=cases)


def _fish(tool: str, option: Option) -> str:
    short = [f"-s {name[1:]}" for name in option.names if not name.startswith("--")]
    long = [f"-l {name[2:]}" for name in option.names if name.startswith("--")]
    words = [f"-x -a {shlex.quote(' '.join(_words(option)))}"] if _words(option) else []
    needs = ["-r"] if option.value is not None and not words else []
    return " ".join(["complete -c", tool, *short, *long, *needs, *words, "-d", shlex.quote(option.help)])
