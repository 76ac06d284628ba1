import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Packages that a consumer of the library has: peers, and the types of Node itself. */
const AVAILABLE = /^(node:|vitest(\/|$)|@kubernetes\/client-node(\/|$))/

/** A module specifier in a declaration file: `from "…"`, `import("…")` or `import "…"`. */
const SPECIFIER = /(?<=(?:\bfrom|\bimport)\s*\(?\s*)(['"])([^'"]+)\1/g

/**
 * Writes the types of what package.json exports, and of what they mention, to `folder`.
 *
 * @throws {Error} when a declaration mentions a package that a consumer does not have.
 */
export function writeDeclarations(root: string, folder: string): number {
  execFileSync(
    join(root, 'node_modules/.bin/tsc'),
    ['--project', join(root, 'tsconfig.build.json'), '--outDir', folder],
    { cwd: root, stdio: 'inherit' },
  )
  const entries = exportedTypes(readFileSync(join(root, 'package.json'), 'utf8'))
  const kept = reachable(entries.map((file) => join(root, file)))
  const foreign = [...kept].flatMap((file) =>
    specifiersOf(file)
      .filter((specifier) => !specifier.startsWith('.') && !AVAILABLE.test(specifier))
      .map((specifier) => `${relative(folder, file)} mentions "${specifier}"`),
  )
  if (foreign.length > 0) {
    throw new Error(`the library's types need what a consumer lacks:\n  ${foreign.join('\n  ')}`)
  }
  const texts = [...kept].map(
    (file) => [file, rewriteSpecifiers(readFileSync(file, 'utf8'))] as const,
  )
  rmSync(folder, { recursive: true })
  for (const [file, text] of texts) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return kept.size
}

/** A declaration with its local specifiers as they are in the package: `./plane.ts` becomes `./plane.js`. */
export function rewriteSpecifiers(text: string): string {
  return text.replace(SPECIFIER, (quoted) => quoted.replace(/^(['"]\..*)\.ts(['"])$/, '$1.js$2'))
}

/** The declaration files that the `exports` of a package.json name. */
function exportedTypes(packageJson: string): string[] {
  const { exports }: { exports: Record<string, string | { types: string }> } =
    JSON.parse(packageJson)
  return Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : [entry.types]))
}

function reachable(entries: readonly string[]): Set<string> {
  const found = new Set<string>()
  const visit = (file: string) => {
    if (found.has(file)) {
      return
    }
    found.add(file)
    for (const specifier of specifiersOf(file).filter((name) => name.startsWith('.'))) {
      visit(join(dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts')))
    }
  }
  entries.forEach(visit)
  return found
}

function specifiersOf(file: string): string[] {
  const code = readFileSync(file, 'utf8').replace(/\/\*.*?\*\//gs, '')
  return [...code.matchAll(SPECIFIER)].map(([, , name = '']) => name)
}
