import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageRoot } from '../../src/shared/package-root.ts'

/** A block of code in a comment of the library. */
export interface Example {
  /** Where it is: `src/library/vitest.ts:31`. */
  place: string
  code: string
  kind: ExampleKind
}

/**
 * How an example is run: as a program, as a part of one that has a `plane`, as a file of tests, or as the global
 * setup of a run.
 */
export type ExampleKind = 'program' | 'part' | 'tests' | 'setup'

/** Every example in the comments of the library. */
export function libraryExamples(root: string = packageRoot()): Example[] {
  return globSync('src/library/**/*.ts', { cwd: root })
    .toSorted()
    .flatMap((file) => examplesIn(readFileSync(join(root, file), 'utf8'), file))
}

/** The examples in the comments of a text. */
export function examplesIn(text: string, file: string): Example[] {
  return [...text.matchAll(/^ *\* ```ts\n(.*?)^ *\* ```$/gms)].map((match) => {
    const code = (match[1] ?? '').replaceAll(/^ *\* ?/gm, '')
    const line = text.slice(0, match.index).split('\n').length + 1
    return { place: `${file}:${line}`, code, kind: kindOf(code) }
  })
}

/** An example as a module, which takes `vplane` from this checkout. */
export function toModule({ code, kind, place }: Example): string {
  const lines = code.split('\n')
  const isImport = (line: string) => line.startsWith('import ')
  const imports = lines.filter(isImport).join('\n')
  const body = lines.filter((line) => !isImport(line)).join('\n')
  const head = `// ${place}\nimport assert from 'node:assert/strict'\n${imports}\nvoid assert\n`
  return kind === 'part'
    ? `${head}import type { ControlPlane } from 'vplane'
export async function run(plane: ControlPlane): Promise<void> {
${body}}\n`
    : `${head}${body}\nexport {}\n`
}

/** A module whose imports of `vplane` lead to the sources in this checkout, as Node.js needs them. */
export function withSources(module: string, root: string = packageRoot()): string {
  const library = pathToFileURL(join(root, 'src/library')).href
  return module.replaceAll(
    /from 'vplane(?:\/([a-z-]+))?'/g,
    (_match, entry: string | undefined) => `from '${library}/${entry ?? 'index'}.ts'`,
  )
}

function kindOf(code: string): ExampleKind {
  if (code.includes('planeSetup(')) {
    return 'setup'
  }
  if (/^test\(/m.test(code)) {
    return 'tests'
  }
  return code.includes('startControlPlane(') ? 'program' : 'part'
}
