"""Classes through imports and inheritance, in every language that has them: at a method, its class's base and that
one's own base, each of another file, and a class that a parameter names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pytest
from context_workspace import Workspace

Make = Callable[..., Workspace]
BASE, GRAND, HELPER = "of_base", "of_grand", "of_helper"


@dataclass(frozen=True)
class Case:
    main: str
    files: Mapping[str, str]
    found: tuple[str, ...] = (BASE, GRAND, HELPER)
    others: Mapping[str, str] = field(default_factory=dict)


def javascript(suffix: str, typed: bool) -> Case:
    way = "" if typed else suffix
    parameter = "helper: Helper" if typed else "helper"
    body = "" if typed else "    new Helper();\n"
    return Case(
        f"main{suffix}",
        {
            f"main{suffix}": f'import {{ Base }} from "./base{way}";\nimport {{ Helper }} from "./helper{way}";\n\n'
            f"export class Main extends Base {{\n  run({parameter}) {{\n{body}    $0\n  }}\n}}\n",
            f"base{suffix}": f'import {{ Grand }} from "./grand{way}";\n\n'
            "export class Base extends Grand {\n  of_base() {}\n}\n",
            f"grand{suffix}": "export class Grand {\n  of_grand() {}\n}\n",
            f"helper{suffix}": "export class Helper {\n  of_helper() {}\n}\n",
        },
    )


CASES: dict[str, Case] = {
    "python": Case(
        "main.py",
        {
            "main.py": "from base import Base\nfrom helper import Helper\n\n\n"
            "class Main(Base):\n    def run(self, helper: Helper):\n        $0\n",
            "base.py": "from grand import Grand\n\n\nclass Base(Grand):\n    def of_base(self): ...\n",
            "grand.py": "class Grand:\n    def of_grand(self): ...\n",
            "helper.py": "class Helper:\n    def of_helper(self): ...\n",
        },
    ),
    "javascript": javascript(".js", typed=False),
    "jsx": javascript(".jsx", typed=False),
    "typescript": javascript(".ts", typed=True),
    "tsx": javascript(".tsx", typed=True),
    "java": Case(
        "shop/Main.java",
        {
            "shop/Main.java": "package shop;\n\nimport shop.parts.Base;\n\n"
            "class Main extends Base {\n    void run(Helper helper) {\n        $0\n    }\n}\n",
            "shop/parts/Base.java": "package shop.parts;\n\n"
            "public class Base extends Grand {\n    public int of_base;\n}\n",
            "shop/parts/Grand.java": "package shop.parts;\n\npublic class Grand {\n    public int of_grand;\n}\n",
            "shop/Helper.java": "package shop;\n\ninterface Helper {\n    int of_helper();\n}\n",
        },
    ),
    "csharp": Case(
        "Main.cs",
        {
            "Main.cs": "using Shop.Parts;\n\nnamespace Shop;\n\nclass Main : Base\n{\n"
            "    void Run(IHelper helper)\n    {\n        $0\n    }\n}\n",
            "Base.cs": "namespace Shop.Parts;\n\npublic class Base : Grand\n{\n    public int of_base;\n}\n",
            "Grand.cs": "namespace Shop.Parts;\n\npublic class Grand\n{\n    public int of_grand;\n}\n",
            "IHelper.cs": "namespace Shop;\n\npublic interface IHelper\n{\n    int of_helper();\n}\n",
        },
    ),
    "kotlin": Case(
        "shop/Main.kt",
        {
            "shop/Main.kt": "package shop\n\nimport shop.parts.Base\n\n"
            "class Main : Base() {\n    fun run(helper: Helper) {\n        $0\n    }\n}\n",
            "shop/parts/Base.kt": "package shop.parts\n\nopen class Base : Grand() {\n    val of_base: Int = 1\n}\n",
            "shop/parts/Grand.kt": "package shop.parts\n\nopen class Grand {\n    val of_grand: Int = 1\n}\n",
            "shop/Helper.kt": "package shop\n\ninterface Helper {\n    fun of_helper(): Int\n}\n",
        },
    ),
    "php": Case(
        "src/Main.php",
        {
            "src/Main.php": "<?php\nnamespace Shop;\n\nuse Shop\\Parts\\Base;\n\n"
            "class Main extends Base\n{\n    public function run(Helper $helper): void\n    {\n        $0\n    }\n}\n",
            "src/Parts/Base.php": "<?php\nnamespace Shop\\Parts;\n\nclass Base extends Grand\n{\n"
            "    public function of_base(): int { return 1; }\n}\n",
            "src/Parts/Grand.php": "<?php\nnamespace Shop\\Parts;\n\nclass Grand\n{\n"
            "    public function of_grand(): int { return 1; }\n}\n",
            "src/Helper.php": "<?php\nnamespace Shop;\n\ninterface Helper\n{\n"
            "    public function of_helper(): int;\n}\n",
            "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}',
        },
    ),
    "ruby": Case(
        "main.rb",
        {
            "main.rb": 'require_relative "base"\nrequire_relative "helper"\n\n'
            "class Main < Base\n  def run\n    Helper.new\n    $0\n  end\nend\n",
            "base.rb": 'require_relative "grand"\n\nclass Base < Grand\n  def of_base\n    1\n  end\nend\n',
            "grand.rb": "class Grand\n  def of_grand\n    1\n  end\nend\n",
            "helper.rb": "class Helper\n  def of_helper\n    1\n  end\nend\n",
        },
    ),
    "cpp": Case(
        "main.cpp",
        {
            "main.cpp": '#include "base.hpp"\n#include "helper.hpp"\n\n'
            "class Main : public Base {\n    void run(const Helper &helper) {\n        $0\n    }\n};\n",
            "base.hpp": '#include "grand.hpp"\n\nclass Base : public Grand {\npublic:\n    int of_base;\n};\n',
            "grand.hpp": "class Grand {\npublic:\n    int of_grand;\n};\n",
            "helper.hpp": "struct Helper {\n    int of_helper;\n};\n",
        },
    ),
    "rust": Case(
        "src/main.rs",
        {
            "src/main.rs": "mod base;\nmod helper;\nuse crate::base::Base;\nuse crate::helper::Helper;\n\n"
            "struct Main;\n\nimpl Base for Main {\n    fn run(&self, helper: &Helper) {\n        $0\n    }\n}\n",
            "src/base.rs": "pub trait Base {\n    fn of_base(&self) -> u32;\n    fn run(&self);\n}\n",
            "src/helper.rs": "pub struct Helper {\n    pub of_helper: u32,\n}\n",
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
        },
        found=(BASE, HELPER),
    ),
    "go": Case(
        "main.go",
        {
            "main.go": 'package shop\n\nimport "example.com/shop/parts"\n\ntype Main struct {\n\tparts.Base\n}\n\n'
            "func (m *Main) Run(helper Helper) {\n\t$0\n}\n",
            "parts/base.go": "package parts\n\ntype Base struct {\n\tGrand\n\tOf_base int\n}\n",
            "parts/grand.go": "package parts\n\ntype Grand struct {\n\tOf_grand int\n}\n",
            "helper.go": "package shop\n\ntype Helper interface {\n\tOf_helper() int\n}\n",
            "go.mod": "module example.com/shop\n\ngo 1.22\n",
        },
        found=("Of_base", "Of_grand", "Of_helper"),
    ),
    "c": Case(
        "main.c",
        {
            "main.c": '#include "helper.h"\n\nvoid run(struct helper *helper) {\n    $0\n}\n',
            "helper.h": "struct helper {\n    int of_helper;\n};\n",
        },
        found=(HELPER,),
    ),
    "swift": Case(
        "Sources/Shop/Main.swift",
        {
            "Sources/Shop/Main.swift": "class Main: Base {\n    func run(helper: Helper) {\n        $0\n    }\n}\n",
            "Sources/Shop/Base.swift": "class Base: Grand {\n    var of_base: Int = 1\n}\n",
            "Sources/Shop/Grand.swift": "class Grand {\n    var of_grand: Int = 1\n}\n",
            "Sources/Shop/Helper.swift": "protocol Helper {\n    func of_helper() -> Int\n}\n",
            "Package.swift": '// swift-tools-version:5.9\nlet package = Package(name: "Shop")\n',
        },
    ),
    "lua": Case(
        "main.lua",
        {
            "main.lua": 'local Helper = require("helper")\n\n'
            "local Main = {}\n\n"
            "function Main:run()\n  Helper.new()\n  $0\nend\n\nreturn Main\n",
            "helper.lua": "local Helper = {}\n\nfunction Helper.new()\n  return {}\nend\n\n"
            "function Helper:of_helper()\n  return 1\nend\n\nreturn Helper\n",
        },
        found=(HELPER,),
    ),
}


@pytest.mark.parametrize("language", CASES)
def test_classes_are_found_through_imports_and_inheritance(workspace: Make, language: str) -> None:
    case = CASES[language]
    made = workspace(case.files)
    blocks = made.blocks(case.main)
    classes = {key: block.text for key, block in blocks.items() if block.type in ("class", "package")}
    for member in case.found:
        assert [key for key, text in classes.items() if member in text], f"{member} is nowhere in {classes}"
