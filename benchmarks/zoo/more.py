"""More architectures, for the corpus of regions: what counts is how they normalise, activate, mask and pool."""

from __future__ import annotations

from typing import Any

from benchmarks.zoo.hugging_face import signal, text, translation
from benchmarks.zoo.model import Model
from benchmarks.zoo.pictures import picture

WIDE: dict[str, Any] = {"hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 2}
ENCODERS = ("electra", "mpnet", "deberta", "squeezebert", "convbert", "fnet", "nystromformer", "roformer", "modernbert")
DECODERS = (
    "gpt_neox", "phi", "phi3", "falcon", "bloom", "stablelm", "qwen3", "gemma3_text", "olmo2", "starcoder2", "granite",
    "cohere", "glm", "gptj", "codegen", "qwen2_moe", "olmoe", "granitemoe",
)  # fmt: skip
NARROW: dict[str, dict[str, Any]] = {
    "gptj": {"n_embd": 768, "n_head": 12, "rotary_dim": 64, "n_layer": 2},
    "codegen": {"n_embd": 1024, "n_head": 16, "n_layer": 2},
    "bloom": {"hidden_size": 768, "n_head": 12, "n_layer": 2},
    "phi3": {**WIDE, "num_key_value_heads": 12, "pad_token_id": 0},
    "gemma3_text": {**WIDE, "head_dim": 64, "num_key_value_heads": 4},
    "glm": {**WIDE, "num_key_value_heads": 12, "intermediate_size": 2048, "head_dim": 64, "pad_token_id": 0},
    "convbert": {**WIDE, "embedding_size": 768},
    "electra": {**WIDE, "embedding_size": 768},
    "nystromformer": {**WIDE, "max_position_embeddings": 512},
}
"""What a kind calls otherwise, or wants beside."""
PICTURES = (
    "resnetv2_50", "inception_v4", "xception41", "ghostnet_100", "res2net50_26w_4s", "skresnet18", "seresnet50",
    "dpn68", "cspdarknet53", "repvgg_b0", "coatnet_0_224", "maxvit_tiny_tf_224", "pvt_v2_b0", "poolformer_s12",
    "edgenext_small", "mobilevit_s", "levit_128", "cait_xxs24_224", "xcit_nano_12_p16_224", "eva02_tiny_patch14_224",
    "volo_d1_224", "twins_svt_small", "gmlp_s16_224", "resmlp_12_224", "convmixer_768_32", "davit_tiny", "fastvit_t8",
    "mvitv2_tiny", "visformer_tiny", "focalnet_tiny_srf", "inception_next_tiny", "hiera_tiny_224", "rexnet_100",
    "tf_efficientnetv2_s", "mnasnet_100", "hrnet_w18_small", "convnextv2_atto", "mobileone_s0", "dm_nfnet_f0",
)  # fmt: skip


def _decoder(kind: str) -> Model:
    config = NARROW.get(kind, {**WIDE, "num_key_value_heads": 12, "intermediate_size": 2048})
    return text(kind, kind, 8, 1024, vocab_size=32000, **config)


MODELS = (
    *(text(kind, kind, 16, 512, mask=kind != "fnet", **NARROW.get(kind, WIDE)) for kind in ENCODERS),
    *map(_decoder, DECODERS),
    *(
        translation(kind, kind, 8, 512, d_model=768, encoder_layers=2, decoder_layers=2)
        for kind in ("pegasus", "mbart", "marian")
    ),
    signal("hubert", "hubert", "input_values", (4, 160000), (1, 4000), num_hidden_layers=2, apply_spec_augment=False),
    signal("audio spectrogram transformer", "audio-spectrogram-transformer", "input_values", (8, 1024, 128),
           (1, 1024, 128), num_hidden_layers=2),
    signal("dinov2", "dinov2", "pixel_values", (32, 3, 224, 224), (1, 3, 224, 224), num_hidden_layers=2),
    signal("siglip vision", "siglip_vision_model", "pixel_values", (32, 3, 224, 224), (1, 3, 224, 224),
           num_hidden_layers=2),
    *(picture(kind, kind, 32) for kind in PICTURES),
)  # fmt: skip
