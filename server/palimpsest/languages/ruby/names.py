"""Names that every Ruby program knows, from the language's reference: Kernel, Module, the core classes."""

from __future__ import annotations

_KEYWORDS = """
    BEGIN END __FILE__ __LINE__ __method__ alias and begin break case class def defined? do else elsif end ensure false
    for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield
"""
_CONSTANTS = """
    ARGF ARGV Array ArgumentError BasicObject Binding Class Comparable Complex Data Dir ENV EOFError Encoding
    EncodingError Enumerable Enumerator Errno Exception FalseClass Fiber File FileTest FileUtils Float FloatDomainError
    FrozenError GC Hash IO IOError IndexError Integer Interrupt JSON Kernel KeyError LoadError LocalJumpError Marshal
    MatchData Math Method Module Monitor Mutex NameError NilClass NoMatchingPatternError NoMethodError
    NotImplementedError Numeric Object ObjectSpace OpenStruct Pathname Proc Process Queue RUBY_PLATFORM RUBY_VERSION
    Ractor Random Range RangeError Rational Regexp RegexpError RuntimeError STDERR STDIN STDOUT ScriptError
    SecurityError Set Signal SignalException StandardError StopIteration String Struct Symbol SyntaxError
    SystemCallError
    SystemExit SystemStackError Thread ThreadError Time TracePoint TrueClass TypeError URI UnboundMethod
    UncaughtThrowError YAML ZeroDivisionError
"""
_KERNEL = """
    abort at_exit autoload binding block_given? caller caller_locations catch eval exec exit exit! fail fork format gets
    global_variables gsub instance_variable_get instance_variable_set instance_variables lambda load local_variables
    loop method methods object_id open p pp print printf proc public_send putc puts raise rand readline readlines
    require
    require_relative respond_to? select send set_trace_func singleton_class sleep spawn sprintf srand sub syscall system
    tap test then throw trap warn freeze frozen? dup clone class hash inspect instance_of? is_a? kind_of? nil? to_s
    _1 _2 it
"""
_MODULE = """
    alias_method attr attr_accessor attr_reader attr_writer class_eval class_exec const_get const_missing const_set
    constants define_method extend include included inherited instance_method instance_methods method_defined?
    module_eval module_function name new prepend private private_class_method private_constant protected public
    public_class_method refine remove_const remove_method undef_method using attached_object superclass allocate
"""
_OF_VALUES = """
    abs all? any? append between? call capitalize ceil chars chomp clear collect compact concat count cycle delete
    delete_if detect dig downcase drop each each_key each_slice each_value each_with_index each_with_object empty?
    end_with?
    entries even? fetch filter filter_map find find_all first flat_map flatten floor freeze gsub gsub! has_key? include?
    index inject insert inspect join key key? keys last lazy length lines map match match? max max_by merge merge! min
    min_by none? odd? one? partition pop positive? product push reduce reject reverse rotate round sample scan select
    shift shuffle size slice sort sort_by split start_with? step strip sub sum take tally times to_a to_f to_h to_i
    to_proc to_s to_sym tr transform_values uniq unshift upcase update upto value? values values_at zero? zip close
    read write new name open path
"""
KEYWORDS = frozenset(_KEYWORDS.split())
BUILTINS = frozenset((*_CONSTANTS.split(), *_KERNEL.split(), *_MODULE.split()))
MEMBERS = frozenset((*_OF_VALUES.split(), *_KERNEL.split(), *_MODULE.split()))
