"""Names that JavaScript defines (the ECMAScript Language Specification), and the commonest of browsers and Node.js."""

from palimpsest.languages.word_lists import words

KEYWORDS = words(
    """
    arguments as async await break case catch class const continue debugger default delete do else export extends false
    finally for from function get if import in instanceof let new null of return set static super switch this throw
    true try typeof undefined var void while with yield
    """
)
GLOBALS = words(
    """
    AggregateError Array ArrayBuffer AsyncFunction Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date
    Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array
    Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set
    SharedArrayBuffer String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray
    WeakMap WeakRef WeakSet arguments decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis
    isFinite isNaN parseFloat parseInt undefined unescape
    """
)
PLATFORM = words(
    """
    AbortController AbortSignal Blob BroadcastChannel Buffer CSS CustomEvent DOMException DOMParser DOMRect Document
    DocumentFragment DragEvent Element Event EventSource EventTarget File FileList FileReader FocusEvent FormData
    HTMLButtonElement HTMLCanvasElement HTMLDivElement HTMLElement HTMLFormElement HTMLImageElement HTMLInputElement
    HTMLSelectElement HTMLTextAreaElement HTMLVideoElement Headers History Image InputEvent IntersectionObserver
    KeyboardEvent Location MessageChannel MessageEvent MouseEvent MutationObserver Node NodeList Notification Option
    Performance PerformanceObserver PointerEvent ReadableStream Request ResizeObserver Response SVGElement Storage
    TextDecoder TextEncoder TouchEvent TransformStream URL URLSearchParams WebAssembly WebSocket Window Worker
    WritableStream XMLHttpRequest __dirname __filename addEventListener alert atob btoa caches cancelAnimationFrame
    clearImmediate clearInterval clearTimeout confirm console crypto customElements dispatchEvent document exports
    fetch getComputedStyle getSelection global history importScripts indexedDB innerHeight innerWidth localStorage
    location matchMedia module name navigator onmessage open origin parent performance postMessage process prompt
    queueMicrotask removeEventListener require requestAnimationFrame requestIdleCallback screen scrollTo scrollX
    scrollY self sessionStorage setImmediate setInterval setTimeout structuredClone top window
    """
)
TESTS = words("after afterAll afterEach before beforeAll beforeEach describe expect it jest suite test vi")
"""What the usual test runners define."""
MEMBERS = words(
    """
    add all allSettled any appendChild apply assign at bind call catch charAt charCodeAt clear codePointAt concat
    constructor copyWithin create defineProperty delete endsWith entries error every exec fill filter finally find
    findIndex findLast flat flatMap forEach freeze from fromEntries get getTime has hasOwnProperty includes indexOf
    isArray isInteger join keys lastIndexOf length localeCompare log map match matchAll max message min name next now
    of padEnd padStart parse pop prototype push race reduce reduceRight reject repeat replace replaceAll resolve
    reverse round set shift size slice some sort splice split stack startsWith stringify substring test then toFixed
    toISOString toLocaleString toLowerCase toString toUpperCase trim trimEnd trimStart unshift valueOf values warn
    """
)
"""Members of values that the specification defines, and of the console."""
OF_OBJECTS = words(
    """
    __proto__ apply bind call caller constructor hasOwnProperty isPrototypeOf length name propertyIsEnumerable prototype
    toLocaleString toString valueOf
    """
)
"""Members of every object and every function."""
OF_ERRORS = words("captureStackTrace cause message name stack stackTraceLimit")
