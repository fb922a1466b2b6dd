// What install.py prints, and which Python runs it.  No editor in here.

export interface Step {
  step?: string;
  message?: string;
  fraction?: number;
  done?: boolean;
  command?: string[];
  error?: string;
  hint?: string;
}

/** One line of JSON; anything else is no step. */
export function stepOf(line: string): Step | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Names of Python, those that are new enough for sure first; install.py says so where it is too old. */
export function interpreters(platform: string): string[] {
  const numbered = ["python3.13", "python3.12", "python3.11", "python3.14"];
  return platform === "win32" ? ["python", "py", "python3"] : [...numbered, "python3", "python"];
}
