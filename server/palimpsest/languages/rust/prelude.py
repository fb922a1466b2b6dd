"""Names that Rust code knows without a definition, and the words of the language.

Out: sets of names, from the reference and the standard prelude.
"""

from __future__ import annotations

_KEYWORDS = """
as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub
ref return self Self static struct super trait true type union unsafe use where while yield
"""
_PRIMITIVE = "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize"
_PRELUDE = """
AsMut AsRef Box Clone Copy Default DoubleEndedIterator Drop Eq Err ExactSizeIterator Extend Fn FnMut FnOnce From
FromIterator Into IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result Send Sized Some String Sync
ToOwned ToString TryFrom TryInto Unpin Vec drop
"""
_MACROS = """
assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne env eprint
eprintln file format format_args include include_bytes include_str line macro_rules matches module_path option_env panic
print println stringify thread_local todo unimplemented unreachable vec write writeln
"""
_CRATES = "alloc core std"
_OTHER = "self Self super crate static _"
_MEMBERS = """
all and_then any append as_bytes as_mut as_ref as_str borrow borrow_mut by_ref bytes chain chars clear clone cloned cmp
collect contains contains_key copied count default drain entry enumerate eq err expect extend filter filter_map find
first flat_map flatten fmt fold for_each from from_iter get get_mut get_or_insert_with hash insert into into_iter
is_empty is_err is_none is_ok is_some iter iter_mut join keys last len lines lock map map_err max min ne new next nth ok
ok_or or_default or_insert parse partial_cmp peek pop position push push_str read remove replace retain rev rposition
skip sort sort_by sort_by_key splice split starts_with step_by sum swap take to_owned to_string to_vec trim try_from
try_into unwrap unwrap_or unwrap_or_default unwrap_or_else values with_capacity write zip
"""

KEYWORDS = frozenset(_KEYWORDS.split())
NAMES = frozenset(" ".join((_PRIMITIVE, _PRELUDE, _MACROS, _CRATES, _OTHER)).split())
MEMBERS = frozenset(_MEMBERS.split())
"""Members that values of the standard types have."""
