import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../src/shared/package-root.ts'

test.for(['src/shared/network/node-http.ts', 'src/kube/client/client.ts'])(
  'loads no undici with %s',
  (file) => {
    const url = pathToFileURL(join(packageRoot(), file)).href
    const script = `await import('${url}'); console.log(process.moduleLoadList.filter((name) => name.includes('undici')))`

    const args = ['--input-type=module', '--eval', script]
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })

    expect(stdout).toBe('[]\n')
  },
)
