import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import {
  serveEtcdArchive,
  serveKubernetesBinary,
  startReleaseServer,
} from '../drivers/local/binaries/release-server.ts'
import { installPackage } from './install-package.ts'

test('downloads binaries as an installed package', async () => {
  using installed = installPackage()
  await using server = await startReleaseServer()
  serveEtcdArchive(server)
  for (const name of ['kube-apiserver', 'kube-controller-manager', 'kubectl']) {
    serveKubernetesBinary(server, name)
  }

  // Not with `run`, which would keep the server from answering.
  const vplane = join(installed.prefix, 'node_modules/.bin/vplane')
  const { stdout } = await promisify(execFile)(vplane, ['binaries', 'pull', '1.36.3', '--json'], {
    cwd: installed.prefix,
    env: { ...installed.environment, VPLANE_MIRROR: server.url },
  })

  const { binaries } = JSON.parse(stdout)
  expect(JSON.stringify(binaries)).toContain('kube-controller-manager')
  expect(server.paths()).toHaveLength(8)
})
