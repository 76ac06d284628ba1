import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageRoot } from '../../src/shared/package-root.ts'
import { alternate } from '../alternate.ts'
import { ratio } from '../compare.ts'
import type { Figure } from '../figure.ts'

/** How soon a test has its plane: a Node process that imports the library and starts one. */
export const libraryFigure: Figure = {
  name: 'library',
  async measure({ rounds, workspace }) {
    const library = pathToFileURL(join(packageRoot(), 'dist/library/index.js')).href
    const program = [
      'const begun = performance.timeOrigin',
      `const { startControlPlane } = await import('${library}')`,
      'await using plane = await startControlPlane()',
      'console.log(performance.timeOrigin + performance.now() - begun)',
    ].join(';')
    const samples = await alternate(rounds, {
      library: async () => {
        const command = [process.execPath, '--input-type=module', '--eval', program]
        const { stdout } = await workspace.run(command)
        return Number(stdout)
      },
      create: async () => {
        const { ms } = await workspace.vplane('create', 'library', '--ephemeral', '--no-connect')
        await workspace.vplane('delete', 'library', '--yes')
        return ms
      },
    })
    return [
      ratio({
        name: 'library',
        what: '`startControlPlane()` in a new process',
        unit: 'ms',
        of: 'library',
        to: { samples: 'create', what: '`vplane create --ephemeral`' },
        target: 1.1,
        samples,
      }),
    ]
  },
}
