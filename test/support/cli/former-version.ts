import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../src/shared/package-root.ts'
import { runCommand } from '../../lab/machine/run-command.ts'
import { temporaryFolder } from '../machine/temporary-folder.ts'

/** The last commit whose planes have no account of what is under way. */
const COMMIT = 'f844aa7789117da2e5aca2cb4de266ec46725eb5'

/** An older vplane, built from the history of this repository. It is gone when it is disposed. */
export interface FormerVersion extends AsyncDisposable {
  /** The script that node runs. */
  script: string
}

/** Whether the history of this repository is there: a copy without it has no older versions. */
export function hasFormerVersion(): boolean {
  const { status } = spawnSync('git', ['cat-file', '-e', COMMIT], { cwd: packageRoot() })
  return status === 0
}

export async function formerVersion(): Promise<FormerVersion> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await temporaryFolder())
  const { path } = folder
  const archive = join(path, 'source.tar')
  await runCommand('git', ['archive', '--output', archive, COMMIT], { cwd: packageRoot() })
  await runCommand('tar', ['--extract', '--file', archive, '--directory', path])
  // Its own dependencies are among those of today.
  symlinkSync(join(packageRoot(), 'node_modules'), join(path, 'node_modules'))
  await runCommand(process.execPath, ['scripts/build.ts'], { cwd: path })
  const owned = stack.move()
  return {
    script: join(path, 'bin/vplane.js'),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
