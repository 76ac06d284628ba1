import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { processEnvironment } from '../../../src/shared/environment.ts'
import { packageRoot } from '../../../src/shared/package-root.ts'
import { pathsOf } from '../../../src/shared/paths.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeInLab } from '../../lab/describe-lab.ts'
import { clusterFolder } from '../../lab/cluster/state/cluster-folder.ts'
import { labFolder } from '../../lab/lab-folder.ts'
import { type ConnectedPlane, connectedPlane } from '../../support/cli/connected-plane.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { changeHostKubeconfig } from '../../support/host/host-kubeconfig.ts'

const PLUGIN = join(packageRoot(), 'test/support/host/short-lived-login.ts')
const LIFETIME_S = 20

// Certificates that live for seconds are signed by the lab's own CA: nobody else's signs such.

describeInLab('a login that ends within seconds', () => {
  let cli: HostCli
  let plane: ConnectedPlane
  let folder: string
  const certificates = () =>
    readFileSync(join(folder, 'log'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => Date.parse(line))
  const untilExpired = async () => {
    await waitFor(() => Promise.resolve(Math.max(...certificates()) < Date.now()), {
      what: 'the end of all certificates',
      timeoutMs: 2 * LIFETIME_S * 1000,
    })
  }

  beforeAll(async () => {
    cli = await createHostCli()
    folder = join(cli.root, 'login')
    mkdirSync(folder, { mode: 0o700 })
    const { pki } = clusterFolder(
      labFolder(pathsOf(processEnvironment()).cache).clusters,
      cli.lab.name,
    )
    for (const name of ['ca.crt', 'ca.key']) {
      cpSync(join(pki, name), join(folder, name))
    }
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: [PLUGIN, folder, String(LIFETIME_S)],
      interactiveMode: 'Never',
    }
    await changeHostKubeconfig(cli, () => ({ user: { exec } }))
    plane = await connectedPlane(cli, 'dev')
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('is renewed by the tunnel itself', async () => {
    await untilExpired()
    const before = certificates().length

    const { code, stderr } = await cli.kubectl(['get', 'namespaces'])

    expect(code, stderr).toBe(0)
    expect(certificates().length).toBe(before + 1)
  })

  test('is said to be needed when it cannot be renewed, and enough when it is there', async () => {
    const { port } = plane.tunnel()
    writeFileSync(join(folder, 'locked'), '')
    await untilExpired()

    // The tunnel learns of it from the first command.
    const first = await cli.kubectl(['get', 'namespaces'])
    const second = await cli.kubectl(['get', 'namespaces'])
    rmSync(join(folder, 'locked'))
    const third = await cli.kubectl(['get', 'namespaces'])

    expect(first.code).toBe(1)
    expect(second.code).toBe(1)
    expect(second.stderr).toMatch(/login to the host cluster ".*" is needed/)
    expect(second.stderr).toContain('the session has ended: run "corp login"')
    expect(third.code, third.stderr).toBe(0)
    expect(plane.tunnel().port).toBe(port)
  })
})
