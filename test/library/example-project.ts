import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../../src/shared/package-root.ts'
import { type Example, toModule, withSources } from './examples.ts'

/** How long a test may take on a busy machine. */
const PATIENT_MS = 120_000

/** A folder with all examples as files, as a user would have them, and the manifests they speak of. */
export interface ExampleProject extends Disposable {
  folder: string
  /** Scripts to run: each program, and one for all parts together. */
  scripts: string[]
}

/** Writes examples down to be run and to be checked by the compiler. */
export function exampleProject(examples: readonly Example[]): ExampleProject {
  const folder = mkdtempSync(join(tmpdir(), 'vplane-examples-'))
  const root = packageRoot()
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  cpSync(join(import.meta.dirname, 'examples'), folder, { recursive: true })
  mkdirSync(join(folder, 'typed'))
  const scripts: string[] = []
  const parts: string[] = []
  for (const [index, example] of examples.entries()) {
    const module = toModule(example)
    writeFileSync(join(folder, 'typed', `${index}.ts`), module)
    const name = `${index}${example.kind === 'tests' ? '.spec' : ''}.ts`
    const isAlone = example.kind === 'tests' || example.kind === 'setup'
    writeFileSync(join(folder, name), isAlone ? module : withSources(module))
    if (example.kind === 'program') {
      scripts.push(name)
    } else if (example.kind === 'part') {
      parts.push(name)
    }
  }
  const limits = { testTimeout: PATIENT_MS, hookTimeout: PATIENT_MS }
  const setups = examples.flatMap(({ kind }, index) => (kind === 'setup' ? [`${index}.ts`] : []))
  writeFileSync(join(folder, 'parts.ts'), withSources(allParts(parts)))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'tsconfig.json'), tsconfig(root))
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `export default { test: ${JSON.stringify({ globalSetup: setups, ...limits })} }\n`,
  )
  return {
    folder,
    scripts: [...scripts, 'parts.ts'],
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** One plane serves all parts. */
function allParts(files: readonly string[]): string {
  const calls = files.map((file) => `await (await import('./${file}')).run(plane)`)
  return `import { startControlPlane } from 'vplane'
await using plane = await startControlPlane()
${calls.join('\n')}
`
}

function tsconfig(root: string): string {
  return JSON.stringify({
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      typeRoots: [join(root, 'node_modules/@types')],
      paths: {
        vplane: [join(root, 'src/library/index.ts')],
        'vplane/*': [join(root, 'src/library/*.ts')],
      },
    },
    include: ['typed', join(root, 'src/**/*.d.ts')],
  })
}
