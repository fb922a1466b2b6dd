"""Names that the code at a cursor uses and another file defines, by each of the ways that code has to reach them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from context_workspace import Workspace

Make = Callable[..., Workspace]

CASES: Sequence[tuple[str, Mapping[str, str], Sequence[str]]] = (
    (
        "c-nested-include",
        {
            "src/main.c": (
                '#include "pump.h"\n'
                "\n"
                "int drain(struct pump *p) {\n"
                "  int n = pipe_depth(p->pipe);\n"
                "  $0\n"
                "  return n;\n"
                "}\n"
            ),
            "src/pump.h": (
                '#include "pipe.h"\nstruct pump { struct pipe *pipe; int speed; };\nvoid pump_stop(struct pump *p);\n'
            ),
            "src/pipe.h": ("struct pipe;\nint pipe_depth(struct pipe *p);\nint pipe_flush(struct pipe *p, int how);\n"),
        },
        ["int pipe_depth(struct pipe *p)", "int pipe_flush("],
    ),
    (
        "c-enum-constant",
        {
            "src/lamp.c": (
                '#include "lamp.h"\n\nint next(int now) {\n  if (now == LAMP_ON)\n    return $0;\n  return now;\n}\n'
            ),
            "src/lamp.h": ("typedef enum {\n  LAMP_OFF,\n  LAMP_ON,\n  LAMP_BLINKS\n} lamp_state;\n"),
        },
        ["LAMP_OFF", "LAMP_BLINKS"],
    ),
    (
        "c-trailing-macro",
        {
            "src/a.c": ('#include "say.h"\n\nvoid greet(const char *who) {\n  say_fmt("hello %s", who);\n  $0\n}\n'),
            "src/say.h": (
                "void say_raw(const char *text);\nvoid say_fmt(const char *format, ...) LIKE_PRINTF(1, 2);\n"
            ),
        },
        ["say_fmt(const char *format, ...)"],
    ),
    (
        "cpp-export-macro",
        {
            "src/dock.cc": ('#include "crate.h"\n\nint load(const Crate& c) {\n  return c.weigh() + $0;\n}\n'),
            "src/crate.h": (
                "class DEPOT_API Crate {\n"
                " public:\n"
                "  Crate(int kilos);\n"
                "  int weigh() const;\n"
                "  int tare() const;\n"
                "};\n"
            ),
        },
        ["class", "int tare() const"],
    ),
    (
        "cpp-lock-macros",
        {
            "src/guard.cc": ('#include "vault.h"\n\nvoid visit(Vault& v) {\n  v.unlock_door(3);\n  $0\n}\n'),
            "src/vault.h": (
                "class LOCKABLE Vault {\n"
                " public:\n"
                "  void unlock_door(int code)\n"
                "      NEEDS_KEY(key_);\n"
                "  void close_door() HAS_NO_KEY { code_ = 0; }\n"
                " private:\n"
                "  int code_ GUARDED_BY(key_);\n"
                "};\n"
            ),
        },
        ["close_door()", "class LOCKABLE Vault"],
    ),
    (
        "cpp-field-of-header-class",
        {
            "src/dock.cc": (
                '#include "dock.h"\n'
                '#include "crane.h"\n'
                "\n"
                "void Dock::lift(int kilos) {\n"
                "  crane_->hoist(kilos);\n"
                "  $0\n"
                "}\n"
            ),
            "src/dock.h": (
                "class Crane;\nclass Dock {\n public:\n  void lift(int kilos);\n private:\n  Crane* crane_;\n};\n"
            ),
            "src/crane.h": ("class Crane {\n public:\n  void hoist(int kilos);\n  void park();\n};\n"),
        },
        ["void park();"],
    ),
    (
        "cpp-namespace-constant",
        {
            "src/plan.cc": (
                '#include "limits.h"\n'
                "\n"
                "namespace depot {\n"
                "Weight spare(int used) {\n"
                "  return (kMaxCrates - used) * $0;\n"
                "}\n"
                "}\n"
            ),
            "src/limits.h": (
                "namespace depot {\n"
                "typedef long Weight;\n"
                "static const int kMaxCrates = 7;\n"
                "namespace config {\n"
                "static const int kCrateKilos = 40;\n"
                "}\n"
                "}\n"
            ),
        },
        ["typedef long Weight", "kMaxCrates = 7", "kCrateKilos = 40"],
    ),
    (
        "cs-relative-using",
        {
            "src/Shop/Till.cs": (
                "namespace Depot;\n"
                "\n"
                "using Parts;\n"
                "\n"
                "class Till\n"
                "{\n"
                "    object Open()\n"
                "    {\n"
                "        var drawer = new CashDrawer<int>();\n"
                "        return $0;\n"
                "    }\n"
                "}\n"
            ),
            "src/Shop/Parts/Drawers.cs": (
                "namespace Depot.Parts;\n\npublic class CashDrawer<T>\n{\n    public T Take(int n) => default;\n}\n"
            ),
        },
        ["public T Take(int n)"],
    ),
    (
        "java-static-import",
        {
            "src/main/java/depot/Gate.java": (
                "package depot;\n"
                "\n"
                "import static depot.limits.GateLimits.MAX_CRATES;\n"
                "\n"
                "class Gate {\n"
                "  int open(int n) {\n"
                "    if (n > MAX_CRATES) {\n"
                "      return $0;\n"
                "    }\n"
                "    return n;\n"
                "  }\n"
                "}\n"
            ),
            "src/main/java/depot/limits/GateLimits.java": (
                "package depot.limits;\n"
                "\n"
                "public final class GateLimits {\n"
                "  public static final int MAX_CRATES = 12;\n"
                "  public static final int MIN_CRATES = 2;\n"
                "}\n"
            ),
        },
        ["MAX_CRATES = 12", "MIN_CRATES = 2"],
    ),
    (
        "kt-import-of-object-member",
        {
            "src/main/kotlin/depot/Reader.kt": (
                "package depot\n"
                "\n"
                "import depot.Frames.FLAG_LAST\n"
                "import depot.Frames.describe\n"
                "\n"
                "class Reader {\n"
                "  fun read(flags: Int): String {\n"
                "    val last = flags and FLAG_LAST != 0\n"
                "    return describe($0)\n"
                "  }\n"
                "}\n"
            ),
            "src/main/kotlin/depot/Frames.kt": (
                "package depot\n"
                "\n"
                "object Frames {\n"
                "  const val FLAG_LAST = 0x1\n"
                "  const val FLAG_FIRST = 0x2\n"
                '  fun describe(flags: Int, verbose: Boolean): String = ""\n'
                "}\n"
            ),
        },
        ["FLAG_LAST = 0x1", "fun describe(flags: Int, verbose: Boolean)"],
    ),
    (
        "kt-companion-constant",
        {
            "src/main/kotlin/depot/Use.kt": (
                "package depot\n\nclass Use {\n  fun wait(): Int {\n    return Codec.WAIT_MILLIS + $0\n  }\n}\n"
            ),
            "src/main/kotlin/depot/Codec.kt": (
                "package depot\n"
                "\n"
                "interface Codec {\n"
                "  fun cancel()\n"
                "\n"
                "  companion object {\n"
                "    const val WAIT_MILLIS = 100\n"
                "    fun of(name: String): Codec = TODO()\n"
                "  }\n"
                "}\n"
            ),
        },
        ["WAIT_MILLIS = 100"],
    ),
    (
        "kt-source-sets",
        {
            "src/jvmMain/kotlin/depot/JvmRoad.kt": (
                "package depot\n"
                "\n"
                "import java.util.*\n"
                "\n"
                "class JvmRoad : Road {\n"
                "  fun drive(lane: Lane): Int {\n"
                "    return lane.width() + $0\n"
                "  }\n"
                "}\n"
            ),
            "src/commonMain/kotlin/depot/Lane.kt": (
                "package depot\n\nclass Lane {\n  fun width(): Int = 3\n  fun length(): Int = 9\n}\n"
            ),
        },
        ["fun length(): Int"],
    ),
    (
        "rb-constant-with-spec",
        {
            "app/jobs/ship_job.rb": (
                "class ShipJob\n  def perform(id)\n    parcel = Parcel.find(id)\n    $0\n  end\nend\n"
            ),
            "app/models/parcel.rb": ("class Parcel\n  attr_accessor :weight\n\n  def ship_to(address)\n  end\nend\n"),
            "spec/models/parcel_spec.rb": ('describe Parcel do\n  it "ships" do\n  end\nend\n'),
        },
        ["class Parcel", "def ship_to(address)"],
    ),
    (
        "rb-module-function",
        {
            "lib/depot/worker.rb": (
                'require "depot/job"\n'
                "\n"
                "module Depot\n"
                "  class Worker\n"
                "    def call(text)\n"
                "      list = Depot.load_list(text)\n"
                "      raise Depot::Halted if $0\n"
                "    end\n"
                "  end\n"
                "end\n"
            ),
            "lib/depot/job.rb": ("module Depot\n  class Job\n  end\nend\n"),
            "lib/depot.rb": (
                "module Depot\n"
                "  class Halted < StandardError; end\n"
                "\n"
                "  def self.load_list(text, strict = false)\n"
                "  end\n"
                "end\n"
            ),
        },
        ["def self.load_list(text, strict = false)", "class Halted"],
    ),
    (
        "rb-base-in-outer-module",
        {
            "lib/depot/tabs/busy.rb": (
                'require_relative "panel"\n'
                "\n"
                "module Depot\n"
                "  class App\n"
                "    module Tabs\n"
                "      class Busy < Panel\n"
                "        def render(area)\n"
                "          draw_rows(area, $0)\n"
                "        end\n"
                "      end\n"
                "    end\n"
                "  end\n"
                "end\n"
            ),
            "lib/depot/tabs/panel.rb": (
                "module Depot\n"
                "  class App\n"
                "    class Panel\n"
                "      def draw_rows(area, rows, striped: true)\n"
                "      end\n"
                "    end\n"
                "  end\n"
                "end\n"
            ),
        },
        ["def draw_rows(area, rows, striped: true)"],
    ),
    (
        "rb-singleton-methods",
        {
            "app/jobs/mail_job.rb": (
                "class MailJob\n  def perform(story)\n    url = Paths.story_url(story)\n    $0\n  end\nend\n"
            ),
            "extras/paths.rb": (
                "class Paths\n  class << self\n    def story_url(story, title: false)\n    end\n  end\nend\n"
            ),
        },
        ["def story_url(story, title: false)"],
    ),
    (
        "php-property-from-constructor",
        {
            "src/Gate.php": (
                "<?php\n"
                "namespace Depot;\n"
                "\n"
                "use Depot\\Rules\\GateRules;\n"
                "\n"
                "class Gate\n"
                "{\n"
                "    private $rules;\n"
                "\n"
                "    public function __construct(GateRules $rules)\n"
                "    {\n"
                "        $this->rules = $rules;\n"
                "    }\n"
                "\n"
                "    public function open(string $who): void\n"
                "    {\n"
                "        $this->rules->refuseStrangers($who);\n"
                "        $0\n"
                "    }\n"
                "}\n"
            ),
            "composer.json": '{"autoload":{"psr-4":{"Depot\\\\\\\\":"src/"}}}',
            "src/Rules/GateRules.php": (
                "<?php\n"
                "namespace Depot\\Rules;\n"
                "\n"
                "class GateRules\n"
                "{\n"
                "    public function refuseStrangers(string $who, bool $loudly = false): void\n"
                "    {\n"
                "    }\n"
                "}\n"
            ),
        },
        ["refuseStrangers(string $who, bool $loudly = false)"],
    ),
    (
        "swift-loop-over-protocol",
        {
            "Sources/Depot/App.swift": (
                "class App {\n"
                "    var crew: Crew = Crew()\n"
                "\n"
                "    func boot() {\n"
                "        for helper in crew.helpers {\n"
                "            helper.willStartWork(self)\n"
                "            $0\n"
                "        }\n"
                "    }\n"
                "}\n"
            ),
            "Sources/Depot/Crew.swift": (
                "struct Crew {\n"
                "    var helpers: [Helper] = []\n"
                "}\n"
                "\n"
                "protocol Helper {\n"
                "    func willStartWork(_ app: App)\n"
                "    func didStartWork(_ app: App)\n"
                "}\n"
            ),
        },
        ["func willStartWork(_ app: App)"],
    ),
    (
        "java-base-inside-of-a-class",
        {
            "src/shop/Glue.java": (
                "package shop;\n\nimport depot.Converter;\n\npublic class Glue extends Converter.Factory {\n"
                "    public Object make(Object kind) {\n        return upperBound(0, kind);$0\n    }\n}\n"
            ),
            "src/depot/Converter.java": (
                "package depot;\n\npublic interface Converter {\n    abstract class Factory {\n"
                "        protected static Object upperBound(int index, Object kind) { return kind; }\n    }\n}\n"
            ),
            "src/other/Bound.java": "package other;\n\nclass Bound { Object upperBound(Object of) { return of; } }\n",
        },
        ["protected static Object upperBound(int index, Object kind)"],
    ),
    (
        "kotlin-base-inside-of-a-class",
        {
            "src/shop/Glue.kt": (
                "package shop\n\nimport depot.Converter\n\nclass Glue : Converter.Factory() {\n"
                "    fun make(kind: Any): Any {\n        return upperBound(0, kind)$0\n    }\n}\n"
            ),
            "src/depot/Converter.kt": (
                "package depot\n\ninterface Converter {\n    abstract class Factory {\n"
                "        fun upperBound(index: Int, kind: Any): Any = kind\n    }\n}\n"
            ),
            "src/other/Bound.kt": "package other\n\nclass Bound { fun upperBound(of: Any): Any = of }\n",
        },
        ["fun upperBound(index: Int, kind: Any): Any"],
    ),
    (
        "csharp-base-inside-of-a-class",
        {
            "src/Glue.cs": (
                "using Depot;\n\nnamespace Shop;\n\npublic class Glue : Converter.Factory\n{\n"
                "    public object Make(object kind)\n    {\n        return UpperBound(0, kind);$0\n    }\n}\n"
            ),
            "Depot/Converter.cs": (
                "namespace Depot;\n\npublic class Converter\n{\n    public abstract class Factory\n    {\n"
                "        protected object UpperBound(int index, object kind) { return kind; }\n    }\n}\n"
            ),
            "Other/Bound.cs": "namespace Other;\n\nclass Bound { object UpperBound(object of) { return of; } }\n",
        },
        ["protected object UpperBound(int index, object kind)"],
    ),
    (
        "python-base-inside-of-a-class",
        {
            "glue.py": (
                "from depot import Converter\n\n\nclass Glue(Converter.Factory):\n"
                "    def make(self, kind):\n        return self.upper_bound(0, kind)$0\n"
            ),
            "depot.py": (
                "class Converter:\n    class Factory:\n"
                "        def upper_bound(self, index: int, kind: object) -> object:\n            return kind\n"
            ),
            "other.py": "class Bound:\n    def upper_bound(self, of):\n        return of\n",
        },
        ["def upper_bound(self, index: int, kind: object) -> object"],
    ),
    (
        "swift-base-inside-of-a-class",
        {
            "Sources/Shop/Glue.swift": (
                "class Glue: Converter.Factory {\n    func make(_ kind: Int) -> Int {\n"
                "        return upperBound(0, kind)$0\n    }\n}\n"
            ),
            "Sources/Shop/Converter.swift": (
                "class Converter {\n    class Factory {\n"
                "        func upperBound(_ index: Int, _ kind: Int) -> Int { return kind }\n    }\n}\n"
            ),
            "Sources/Other/Bound.swift": "class Bound {\n    func upperBound(_ of: Int) -> Int { return of }\n}\n",
        },
        ["func upperBound(_ index: Int, _ kind: Int) -> Int"],
    ),
    (
        "ruby-base-inside-of-a-module",
        {
            "lib/glue.rb": (
                "require_relative 'converter'\n\nclass Glue < Converter::Factory\n"
                "  def make(kind)\n    upper_bound(0, kind)$0\n  end\nend\n"
            ),
            "lib/converter.rb": (
                "module Converter\n  class Factory\n    def upper_bound(index, kind)\n      kind\n    end\n  end\nend\n"
            ),
            "lib/other.rb": "class Bound\n  def upper_bound(of)\n    of\n  end\nend\n",
        },
        ["def upper_bound(index, kind)"],
    ),
    (
        "cpp-base-inside-of-a-class",
        {
            "glue.cc": (
                '#include "converter.h"\n\nclass Glue : public Converter::Factory {\n'
                "  int make(int kind) {\n    return upper_bound(0, kind);$0\n  }\n};\n"
            ),
            "converter.h": (
                "class Converter {\n public:\n  class Factory {\n   public:\n"
                "    int upper_bound(int index, int kind);\n  };\n};\n"
            ),
            "other.h": "class Bound {\n public:\n  int upper_bound(int of);\n};\n",
        },
        ["int upper_bound(int index, int kind)"],
    ),
    (
        "csharp-class-in-parts-of-a-namespace-that-is-not-imported",
        {
            "Docs/Sample.cs": (
                "namespace Docs;\n\npublic class Sample\n{\n    public void Run()\n    {\n"
                "        var pool = CratePool.Shared;\n        $0\n    }\n}\n"
            ),
            "src/CratePool.cs": (
                "namespace Depot;\n\npublic partial class CratePool\n{\n    public Crate Take() { return null; }\n}\n"
            ),
            "src/CratePool.Shared.cs": (
                "namespace Depot;\n\npublic partial class CratePool\n{\n    public static CratePool Shared;\n}\n"
            ),
        },
        ["public Crate Take()", "public static CratePool Shared"],
    ),
    (
        "go-function-for-each-platform",
        {
            "main.go": "package main\n\nfunc main() {\n\tlamp.TurnBrightness(3)\n\t$0\n}\n",
            "go.mod": "module shop\n\ngo 1.20\n",
            "lamp/lamp_unix.go": "package lamp\n\nfunc TurnBrightness(to int) error { return nil }\n",
            "lamp/lamp_windows.go": "package lamp\n\nfunc TurnBrightness(to int) error { return nil }\n",
        },
        ["func TurnBrightness(to int) error"],
    ),
    (
        "kotlin-expected-and-actual",
        {
            "shop/Sample.kt": "package shop\n\nfun run(tray: Any) {\n    tray.resizeContents(3)\n    $0\n}\n",
            "core/src/commonMain/kotlin/Tray.kt": (
                "package core\n\nexpect class Tray {\n    fun resizeContents(to: Int): Int\n}\n"
            ),
            "core/src/jvmMain/kotlin/Tray.kt": (
                "package core\n\nactual class Tray {\n    actual fun resizeContents(to: Int): Int = to\n}\n"
            ),
        },
        ["fun resizeContents(to: Int): Int"],
    ),
    (
        "ts-overloads",
        {
            "a.ts": ("import { pick } from './b';\n\nexport function f() {\n  return pick('a')$0;\n}\n"),
            "b.ts": (
                "export function pick(a: string): string;\n"
                "export function pick(a: number): number;\n"
                "export function pick(a: any): any { return a; }\n"
            ),
        },
        ["pick(a: string): string", "pick(a: number): number"],
    ),
    (
        "ts-merged-interfaces",
        {
            "a.ts": ("import { Box } from './b';\n\nexport function f(box: Box) {\n  return box.$0;\n}\n"),
            "b.ts": ("export interface Box { width: number; }\nexport interface Box { height: number; }\n"),
        },
        ["width: number", "height: number"],
    ),
    (
        "ruby-class-opened-again",
        {
            "a.rb": ("require_relative 'b'\n\ndef f\n  crate = Crate.new\n  crate.$0\nend\n"),
            "b.rb": ("class Crate\n  def lift\n  end\nend\n\nclass Crate\n  def drop\n  end\nend\n"),
        },
        ["def lift", "def drop"],
    ),
    (
        "csharp-class-in-parts-of-a-file",
        {
            "A.cs": ("namespace A;\nclass X {\n  void Run(Crate c) {\n    c.$0\n  }\n}\n"),
            "B.cs": (
                "namespace A;\n"
                "public partial class Crate {\n"
                "  public int Lift() { return 1; }\n"
                "}\n"
                "public partial class Crate {\n"
                "  public int Drop() { return 1; }\n"
                "}\n"
            ),
        },
        ["public int Lift()", "public int Drop()"],
    ),
    (
        "cpp-overloads",
        {
            "a.cc": ('#include "b.h"\nint f() {\n  return lift(3)$0;\n}\n'),
            "b.h": ("int lift(int n);\nint lift(char c);\n"),
        },
        ["int lift(int n)", "int lift(char c)"],
    ),
    (
        "kotlin-overloads",
        {
            "a.kt": ("package a\n\nimport b.lift\n\nfun f() = lift(3)$0\n"),
            "b/b.kt": ("package b\n\nfun lift(n: Int): Int = n\nfun lift(c: Char): Int = 1\n"),
        },
        ["fun lift(n: Int): Int", "fun lift(c: Char): Int"],
    ),
    (
        "swift-overloads",
        {
            "A.swift": ("func f() -> Int {\n    return lift(3)$0\n}\n"),
            "B.swift": ("func lift(_ n: Int) -> Int { return n }\nfunc lift(_ c: String) -> Int { return 1 }\n"),
        },
        ["func lift(_ n: Int) -> Int", "func lift(_ c: String) -> Int"],
    ),
    (
        "python-overloads",
        {
            "a.py": ("from b import lift\n\n\ndef f():\n    return lift(3)$0\n"),
            "b.py": (
                "from typing import overload\n"
                "\n"
                "\n"
                "@overload\n"
                "def lift(n: int) -> int: ...\n"
                "@overload\n"
                "def lift(n: str) -> str: ...\n"
                "def lift(n): return n\n"
            ),
        },
        ["b.lift(n: int) -> int", "b.lift(n: str) -> str"],
    ),
    (
        "python-overloads-by-another-name",
        {
            "a.py": ("from b import lift as up\n\n\ndef f():\n    return up(3)$0\n"),
            "b.py": (
                "from typing import overload\n"
                "\n"
                "\n"
                "@overload\n"
                "def lift(n: int) -> int: ...\n"
                "@overload\n"
                "def lift(n: str) -> str: ...\n"
                "def lift(n): return n\n"
            ),
        },
        ["b.lift(n: int) -> int", "b.lift(n: str) -> str"],
    ),
    (
        "typescript-constant-object",
        {
            "a.ts": ("import { api } from './b';\n\nexport function f() {\n  return api.$0;\n}\n"),
            "b.ts": (
                "export const api = {\n  load(id: string): string { return id; },\n  save: (id: string) => id,\n};\n"
            ),
        },
        ["load(id: string)", "save"],
    ),
    (
        "c-if-0",
        {
            "a.c": ('#include "b.h"\nint f(void) {\n  lift(3);\n  $0\n}\n'),
            "b.h": ("#if 0\nint lift(char *wrong);\n#endif\nint lift(int n);\nint drop(int n);\n"),
        },
        ["int lift(int n)", "int drop(int n)"],
    ),
)


@pytest.mark.parametrize(("files", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_name_of_another_file_is_shown(workspace: Make, files: Mapping[str, str], wanted: Sequence[str]) -> None:
    main = next(iter(files))
    made = workspace({name: text.replace("$0", "") for name, text in files.items()})
    made.build_index()
    shown = "\n".join(block.text for block in made.blocks(main, files[main]).values() if block.type != "filesystem")
    assert not [text for text in wanted if text not in shown], shown


PROPS = "export interface BadgeProps {\n  title: string;\n  tone?: 'calm' | 'loud';\n}\n"
IMPORT = "import { BadgeProps } from './props';\n\n"
NAMED, ELEMENT = "import { Badge } from './Badge';", "<Badge $0 />"
BADGES: Sequence[tuple[str, str, str, Mapping[str, str]]] = (
    (
        "function",
        NAMED,
        ELEMENT,
        {"Badge.tsx": IMPORT + "export function Badge(props: BadgeProps) {\n  return <b>{props.title}</b>;\n}\n"},
    ),
    (
        "taken-apart",
        NAMED,
        ELEMENT,
        {"Badge.tsx": IMPORT + "export function Badge({ title }: BadgeProps) {\n  return <b>{title}</b>;\n}\n"},
    ),
    (
        "type-of-the-value",
        NAMED,
        ELEMENT,
        {"Badge.tsx": IMPORT + "export const Badge: React.FC<BadgeProps> = ({ title }) => <b>{title}</b>;\n"},
    ),
    (
        "class",
        NAMED,
        ELEMENT,
        {
            "Badge.tsx": IMPORT
            + "export class Badge extends Component<BadgeProps> {\n  render() {\n    return <b />;\n  }\n}\n"
        },
    ),
    (
        "alias-of-its-own",
        NAMED,
        ELEMENT,
        {"Badge.tsx": "type Given = { title: string };\n\nexport const Badge = ({ title }: Given) => <b />;\n"},
    ),
    (
        "default",
        "import Mark from './Badge';",
        "<Mark $0 />",
        {
            "Badge.tsx": IMPORT
            + "function Badge({ title }: BadgeProps) {\n  return <b />;\n}\n\nexport default Badge;\n"
        },
    ),
    (
        "memo",
        NAMED,
        ELEMENT,
        {"Badge.tsx": IMPORT + "export const Badge = memo(({ title }: BadgeProps) => {\n  return <b />;\n});\n"},
    ),
    (
        "forward-ref",
        NAMED,
        ELEMENT,
        {
            "Badge.tsx": IMPORT
            + "export const Badge = forwardRef<HTMLElement, BadgeProps>(({ title }, ref) => {\n  return <b />;\n});\n"
        },
    ),
    (
        "passed-on",
        "import { Badge } from './all';",
        ELEMENT,
        {
            "all.ts": "export * from './Badge';\n",
            "Badge.tsx": IMPORT + "export function Badge({ title }: BadgeProps) {\n  return <b />;\n}\n",
        },
    ),
    (
        "of-a-module",
        "import * as Ui from './Badge';",
        "<Ui.Badge $0 />",
        {"Badge.tsx": IMPORT + "export function Badge({ title }: BadgeProps) {\n  return <b />;\n}\n"},
    ),
    (
        "unfinished",
        NAMED,
        "<Badge $0",
        {"Badge.tsx": IMPORT + "export function Badge({ title }: BadgeProps) {\n  return <b />;\n}\n"},
    ),
    (
        "of-the-same-file",
        IMPORT + "function Badge({ title }: BadgeProps) {\n  return <b>{title}</b>;\n}",
        ELEMENT,
        {},
    ),
)


@pytest.mark.parametrize("suffix", [".tsx", ".jsx"])
@pytest.mark.parametrize(("above", "element", "files"), [it[1:] for it in BADGES], ids=[it[0] for it in BADGES])
def test_what_an_element_is_given_is_shown(
    workspace: Make, above: str, element: str, files: Mapping[str, str], suffix: str
) -> None:
    main = f"{above}\n\nexport function Page() {{\n  return {element};\n}}\n"
    made = workspace({f"Page{suffix}": main.replace("$0", ""), "props.ts": PROPS, **files})
    made.build_index()
    blocks = made.blocks(f"Page{suffix}", main).values()
    assert any(block.type == "class" and "title: string" in block.text for block in blocks)


def test_a_generic_call_is_no_element(workspace: Make) -> None:
    main = "import { made } from './made';\n\nexport function page() {\n  return made<Badge>($0);\n}\n"
    files = {
        "made.ts": "export function made<T>(): T;\n",
        "Badge.ts": PROPS + "\nexport function Badge(it: BadgeProps) {}\n",
    }
    made = workspace({"page.ts": main.replace("$0", ""), **files})
    made.build_index()
    assert not any(block.type == "class" for block in made.blocks("page.ts", main).values())


@pytest.mark.parametrize(
    ("main", "beside", "helpers"),
    [
        (
            ("src/shop/Gate.java", "package shop;\n\nclass Gate {\n  void open(Helper it) {\n    it.$0\n  }\n}\n"),
            ("src/shop/Till.java", "package shop;\n\nimport one.Helper;\n\nclass Till { Helper helper; }\n"),
            ("src/{0}/Helper.java", "package {0};\n\npublic class Helper {{ public void lift() {{}} }}\n"),
        ),
        (
            ("src/Gate.kt", "package shop\n\nclass Gate {\n  fun open(it: Helper) {\n    it.$0\n  }\n}\n"),
            ("src/Till.kt", "package shop\n\nimport one.Helper\n\nclass Till(val helper: Helper)\n"),
            ("src/{0}/Helper.kt", "package {0}\n\nclass Helper {{\n  fun lift() {{}}\n}}\n"),
        ),
        (
            ("Gate.cs", "namespace Shop;\n\nclass Gate {\n  void Open(Helper it) {\n    it.$0\n  }\n}\n"),
            ("Till.cs", "namespace Shop;\n\nusing one;\n\nclass Till { Helper helper; }\n"),
            ("{0}/Helper.cs", "namespace {0};\n\npublic class Helper {{ public void lift() {{}} }}\n"),
        ),
    ],
    ids=["java", "kotlin", "csharp"],
)
def test_what_another_file_of_the_package_imports_is_not_meant(
    workspace: Make, main: tuple[str, str], beside: tuple[str, str], helpers: tuple[str, str]
) -> None:
    files = dict([(main[0], main[1].replace("$0", "")), beside])
    files |= {helpers[0].format(name): helpers[1].format(name) for name in ("one", "two")}
    made = workspace(files)
    made.build_index()
    blocks = made.blocks(*main).values()
    assert not [block for block in blocks if block.type == "class" and "lift" in block.text]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
def test_headers_of_headers_lead_to_nothing_that_no_model_may_see(workspace: Make, tmp_path: Path) -> None:
    (tmp_path / "outside.h").write_text("int of_outside(void);\n", encoding="utf-8")
    main = '#include "a.h"\n\nint f(void) {\n  of_outside();\n  of_ignored();\n  $0\n}\n'
    made = workspace(
        {
            "main.c": main.replace("$0", ""),
            "a.h": "".join(f'#include "{name}"\n' for name in ("fifo.h", "link.h", "../outside.h", "ignored.h", "a.h")),
            "ignored.h": "int of_ignored(void);\n",
            ".gitignore": "ignored.h\n",
        }
    )
    os.mkfifo(made.root / "fifo.h")
    (made.root / "link.h").symlink_to(tmp_path / "outside.h")
    made.build_index()
    shown = "\n".join(block.text for block in made.blocks("main.c", main).values())
    assert "of_outside(void)" not in shown
    assert "of_ignored(void)" not in shown


@pytest.mark.parametrize(
    ("main", "header"),
    [
        ("a.c", "#ifdef WIDE\nint lift(long n);\n#else\nint lift(int n);\n#endif\n"),
        ("a.cc", "int lift(long n);\nint lift(long n);\n"),
    ],
    ids=["no overloads in C", "said twice"],
)
def test_a_function_that_is_only_declared_again_has_one_line(workspace: Make, main: str, header: str) -> None:
    text = '#include "b.h"\n\nint f(void) {\n  return lift(3)$0;\n}\n'
    made = workspace({main: text.replace("$0", ""), "b.h": header})
    blocks = made.blocks(main, text).values()
    (block,) = [it for it in blocks if it.source == "package"]
    assert block.text.count("lift(") == 1
