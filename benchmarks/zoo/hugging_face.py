"""Models of transformers: language, vision, audio, and both together."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn

from benchmarks.case import F32, I64, Arg
from benchmarks.zoo.libraries import library
from benchmarks.zoo.model import Called, Model

SMALL: dict[str, Any] = {
    "vocab_size": 99, "hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 2, "num_hidden_layers": 1,
    "num_key_value_heads": 1, "head_dim": 16,
    "n_embd": 32, "n_head": 2, "n_layer": 1, "ffn_dim": 48, "word_embed_proj_dim": 32, "embedding_size": 32,
    "dim": 32, "hidden_dim": 48, "n_heads": 2, "n_layers": 1,
    "d_model": 32, "d_ff": 48, "d_kv": 16, "num_heads": 2, "num_layers": 1, "num_decoder_layers": 1,
    "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48,
    "encoder_attention_heads": 2, "decoder_attention_heads": 2, "moe_intermediate_size": 48,
}  # fmt: skip
"""A small model of any kind: configurations take of it what they know."""


def build(
    kind: str, head: str, names: tuple[str, ...], pick: str, config: dict[str, Any], small: dict[str, Any], tiny: bool
) -> nn.Module:
    """The model of a kind with a configuration like this; `small` are options of a smoke test."""
    transformers = library("transformers")
    made = transformers.AutoConfig.for_model(kind, **config)
    if tiny:
        known = {key: value for key, value in SMALL.items() if _number(made, key)}
        made = transformers.AutoConfig.for_model(kind, **{**config, **known, **small})
    for key, value in made.to_dict().items():
        if "drop" in key and isinstance(value, float):
            setattr(made, key, 0.0)
    constants = {"return_dict": True}
    if _number(made, "use_cache"):
        constants["use_cache"] = False
    return Called(getattr(transformers, head).from_config(made), names, pick, constants)


def _number(config: Any, key: str) -> bool:
    return isinstance(getattr(config, key, None), int)


def ids(batch: int, length: int) -> Arg:
    """Tokens."""
    return Arg((batch, length), I64, high=90)


def text(
    name: str, kind: str, batch: int, length: int, *, mask: bool = False, logits: bool = False,
    head: str | None = None, small: dict[str, Any] | None = None, **config: Any,
) -> Model:  # fmt: skip
    """A model of tokens: hidden states, or logits of the next token; with a mask, as encoders have one."""
    names = ("input_ids", "attention_mask") if mask else ("input_ids",)
    pick = "logits" if logits else "last_hidden_state"
    head = head or ("AutoModelForCausalLM" if logits else "AutoModel")

    def inputs(batch: int, length: int) -> tuple[Arg, ...]:
        return (ids(batch, length), *([Arg((batch, length), I64, view=torch.ones_like)] if mask else []))

    made = partial(build, kind, head, names, pick, config, small or {})
    return Model(name, "transformers", made, inputs(batch, length), inputs(2, 16), classes=-1 if logits else None)


def translation(name: str, kind: str, batch: int, length: int, *, logits: bool = False, **config: Any) -> Model:
    """An encoder and a decoder of tokens."""
    names = ("input_ids", "attention_mask", "decoder_input_ids")

    def inputs(batch: int, length: int) -> tuple[Arg, ...]:
        return (ids(batch, length), Arg((batch, length), I64, view=torch.ones_like), ids(batch, length // 2))

    head, pick = ("AutoModelForSeq2SeqLM", "logits") if logits else ("AutoModel", "last_hidden_state")
    made = partial(build, kind, head, names, pick, config, {})
    return Model(name, "transformers", made, inputs(batch, length), inputs(2, 16), classes=-1 if logits else None)


def signal(
    name: str, kind: str, argument: str, shape: tuple[int, ...], small: tuple[int, ...], *, head: str = "AutoModel",
    pick: str = "last_hidden_state", classes: int | None = None, **config: Any,
) -> Model:  # fmt: skip
    """A model of one tensor of floats: pictures, spectra or sound."""
    made = partial(build, kind, head, (argument,), pick, config, {})
    return Model(name, "transformers", made, (Arg(shape, F32),), (Arg(small, F32),), classes=classes)


def pairs(name: str, kind: str, batch: int) -> Model:
    """A model of texts and pictures that says how well each fits each."""
    names = ("input_ids", "attention_mask", "pixel_values")

    def inputs(batch: int, length: int) -> tuple[Arg, ...]:
        mask = Arg((batch, length), I64, view=torch.ones_like)
        return ids(batch, length), mask, Arg((batch, 3, 224, 224))

    config: dict[str, Any] = {"vision_config": {"num_hidden_layers": 4}, "text_config": {"num_hidden_layers": 4}}
    made = partial(build, kind, "AutoModel", names, "logits_per_image", config, {})
    return Model(name, "transformers", made, inputs(batch, 64), inputs(2, 16), classes=-1)


def audio_encoder(name: str, kind: str, batch: int, **config: Any) -> Model:
    """The encoder of a model that writes down what it hears: spectra of 80 bands, thirty seconds."""
    shape = (80, 3000)

    def made(tiny: bool) -> nn.Module:
        whole: Any = build(
            kind, "AutoModel", ("input_features",), "last_hidden_state", config, {"vocab_size": 51865}, tiny
        )
        return Called(whole.module.get_encoder(), ("input_features",), "last_hidden_state", {"return_dict": True})

    return Model(name, "transformers", made, (Arg((batch, *shape)),), (Arg((1, *shape)),))


MODELS = (
    text("BERT base, 4 layers", "bert", 32, 512, mask=True, num_hidden_layers=4),
    text("DistilBERT, 4 layers", "distilbert", 32, 512, mask=True, n_layers=4),
    text("ALBERT base, 4 layers", "albert", 32, 512, mask=True, hidden_size=768, num_attention_heads=12,
         intermediate_size=3072, num_hidden_layers=4),
    text("RoBERTa base, 4 layers", "roberta", 32, 512, mask=True, num_hidden_layers=4,
         max_position_embeddings=514),  # positions begin behind the one of the padding
    text("DeBERTa-v2 base, 4 layers", "deberta-v2", 16, 512, mask=True, hidden_size=768, num_attention_heads=12,
         intermediate_size=3072, num_hidden_layers=4),
    text("GPT-2, 4 layers", "gpt2", 16, 1024, logits=True, n_layer=4),
    text("Llama 1B, 4 layers", "llama", 4, 2048, hidden_size=2048, intermediate_size=8192, num_attention_heads=32,
         num_key_value_heads=8, num_hidden_layers=4, vocab_size=32000),
    text("Mistral, hidden 2048, 4 layers", "mistral", 4, 2048, hidden_size=2048, intermediate_size=7168,
         num_attention_heads=16, num_key_value_heads=4, num_hidden_layers=4, vocab_size=32000),
    text("Qwen2 1.5B, 4 layers", "qwen2", 4, 2048, hidden_size=1536, intermediate_size=8960, num_attention_heads=12,
         num_key_value_heads=2, num_hidden_layers=4, vocab_size=32000),
    text("Gemma2 2B, 4 layers", "gemma2", 4, 2048, hidden_size=2304, intermediate_size=9216, num_attention_heads=8,
         num_key_value_heads=4, num_hidden_layers=4, vocab_size=32000),
    text("OPT 350M, 4 layers", "opt", 8, 1024, logits=True, num_hidden_layers=4),
    text("Mixtral, hidden 1024, 8 experts, 2 layers", "mixtral", 2, 1024, hidden_size=1024, intermediate_size=3584,
         num_attention_heads=16, num_key_value_heads=4, num_hidden_layers=2, vocab_size=32000),
    text("Mamba2, 2 layers", "mamba2", 4, 1024, hidden_size=1024, num_heads=32, head_dim=64, expand=2, n_groups=1,
         num_hidden_layers=2, vocab_size=32000, small={"num_heads": 4, "chunk_size": 8}),
    translation("T5 base, 3 and 3 layers", "t5", 16, 512, logits=True, d_model=768, d_ff=3072, d_kv=64, num_heads=12,
                num_layers=3, num_decoder_layers=3),
    translation("BART base, 3 and 3 layers", "bart", 16, 512, d_model=768, encoder_layers=3, decoder_layers=3,
                encoder_ffn_dim=3072, decoder_ffn_dim=3072, encoder_attention_heads=12, decoder_attention_heads=12),
    audio_encoder("Whisper small encoder, 4 layers", "whisper", 8, d_model=768, encoder_layers=4, decoder_layers=1,
                  encoder_attention_heads=12, encoder_ffn_dim=3072),
    signal("Wav2Vec2 base, 4 layers", "wav2vec2", "input_values", (8, 160000), (1, 4000), num_hidden_layers=4,
           apply_spec_augment=False),
    signal("SegFormer B0", "segformer", "pixel_values", (16, 3, 512, 512), (1, 3, 64, 64),
           head="AutoModelForSemanticSegmentation", pick="logits", classes=1),
    pairs("CLIP B/32, 4 and 4 layers", "clip", 64),
)  # fmt: skip
