"""Remarks of passes, as attributes of the ops that they are about."""

from __future__ import annotations

REMARK = "nv_tileas.remark"
