import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { packageRoot } from '../../src/shared/package-root.ts'

export interface ProjectRun {
  status: number | null
  output: string
}

/**
 * Runs the tests of a project with its own configuration, in which `vplane` is this checkout. Its planes lie below
 * `temporaryFolder`.
 */
export function runProject(folder: string, temporaryFolder: string): ProjectRun {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [
      join(packageRoot(), 'node_modules/vitest/vitest.mjs'),
      'run',
      '--root',
      folder,
      '--config',
      join(import.meta.dirname, 'checkout.vitest.config.ts'),
    ],
    {
      encoding: 'utf8',
      env: {
        ...outerEnvironment(),
        TMPDIR: temporaryFolder,
        VPLANE_TEST_CONFIG: join(folder, 'vitest.config.ts'),
        NO_COLOR: '1',
      },
    },
  )
  return { status, output: `${stdout}${stderr}` }
}

/** The environment without what the vitest around this one put there. */
function outerEnvironment(): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|VITE_|TEST$|NODE_ENV$|FORCE_COLOR$)/.test(name),
  )
  return Object.fromEntries(own)
}
