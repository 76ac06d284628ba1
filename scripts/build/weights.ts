import type { Metafile } from 'esbuild'

export interface Budget {
  /** A file of src/ that is an entry point, or that a dynamic import names. */
  module: string
  /** What Node may have to read and compile before the first line of it runs. */
  limitKib: number
  /** Packages that must not be among that: they belong behind a local dynamic import. */
  without: string[]
}

export interface Weight extends Budget {
  kib: number
}

/**
 * How heavy the start of each process may be: kubectl waits for the credential plugin on every call, and a shell for
 * every completion.
 */
const BUDGETS: Budget[] = [
  { module: 'src/cli/run.ts', limitKib: 60, without: ['@oclif/core', 'zod', 'yaml'] },
  {
    module: 'src/cli/fast-path/with-planes.ts',
    limitKib: 480,
    without: ['@oclif/core', 'execa', 'node-forge', 'undici', 'zod', '@inquirer/prompts', 'ora'],
  },
  { module: 'src/cli/run-command.ts', limitKib: 60, without: ['@inquirer/prompts', 'ora', 'zod'] },
  { module: 'src/commands/list.ts', limitKib: 500, without: ['@inquirer/prompts', 'ora', 'zod'] },
  { module: 'src/commands/create.ts', limitKib: 500, without: ['@inquirer/prompts', 'ora', 'zod'] },
]

/**
 * What each process loads before it can begin, from esbuild's account.
 *
 * @throws {Error} when one is over its budget, or loads a package that it must not.
 */
export function checkWeights(metafile: Metafile, budgets: readonly Budget[] = BUDGETS): Weight[] {
  const weights = budgets.map((budget) => {
    const files = startOf(metafile, budget.module)
    const bytes = files.reduce((sum, file) => sum + (metafile.outputs[file]?.bytes ?? 0), 0)
    return { ...budget, files, kib: Math.ceil(bytes / 1024) }
  })
  const problems = weights.flatMap(({ module, files, kib, limitKib, without }) => [
    ...(kib > limitKib ? [`${module} loads ${kib} KiB at start, over ${limitKib} KiB`] : []),
    ...without
      .filter((name) => files.some((file) => contains(metafile, file, name)))
      .map((name) => `${module} loads "${name}" at start: import it where it is used`),
  ])
  if (problems.length > 0) {
    throw new Error(`the bundle is too heavy:\n  ${problems.join('\n  ')}`)
  }
  return weights
}

/** The outputs that are loaded before the first line of a module runs. */
function startOf(metafile: Metafile, module: string): string[] {
  const [entry] =
    Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === module) ?? []
  if (entry === undefined) {
    throw new Error(`"${module}" has no file of its own in dist/`)
  }
  const found = new Set<string>()
  const visit = (file: string) => {
    const output = metafile.outputs[file]
    if (output === undefined || found.has(file)) {
      return
    }
    found.add(file)
    for (const { kind, path } of output.imports) {
      if (kind === 'import-statement') {
        visit(path)
      }
    }
  }
  visit(entry)
  return [...found]
}

function contains(metafile: Metafile, file: string, name: string): boolean {
  const inputs = Object.entries(metafile.outputs[file]?.inputs ?? {})
  return inputs.some(
    ([path, { bytesInOutput }]) => bytesInOutput > 0 && path.includes(`node_modules/${name}/`),
  )
}
