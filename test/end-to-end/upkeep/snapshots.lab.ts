import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'

const PASSPHRASE = { env: { VPLANE_PASSPHRASE: 'correct horse' } }

describeOnHost('snapshots of a plane in a host cluster', () => {
  let cli: HostCli
  const kubectl = (words: string[], plane: readonly string[]) =>
    cli.ok(['connect', ...plane, '--', 'kubectl', ...words])

  beforeAll(async () => {
    cli = await createHostCli()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('bring it back here and in another host namespace, without where it was', async () => {
    const [first, other] = [cli.newNamespace(), cli.newNamespace()]
    const hosted = ['moved', '--namespace', first]
    const here = ['moved', '--driver', 'local']
    const there = ['again', '--namespace', other]
    const [bundle, local] = [join(cli.root, 'hosted.bundle'), join(cli.root, 'local.bundle')]
    const kept = ['get', 'secret', 'kept', '-o=jsonpath={.data.a}']
    await cli.ok(['create', ...hosted])
    await kubectl(['create', 'secret', 'generic', 'kept', '--from-literal=a=b'], hosted)
    await cli.ok(['snapshot', 'create', ...hosted, '--bundle', '-o', bundle], PASSPHRASE)
    await cli.ok(['delete', ...hosted, '--yes'])

    const gone = join(cli.root, 'gone')
    writeFileSync(gone, cli.lab.kubeconfig.replace(/server: .*/, 'server: https://127.0.0.1:1'))
    const withoutHost = { env: { ...PASSPHRASE.env, KUBECONFIG: gone } }
    await cli.ok(['restore', '--from', bundle, '--driver', 'local'], withoutHost)
    const inProcesses = await kubectl(kept, here)
    await cli.ok(['snapshot', 'create', ...here, '--bundle', '-o', local], PASSPHRASE)
    await cli.ok(['restore', '--from', local, '--name', 'again', '--namespace', other], PASSPHRASE)
    const inPods = await kubectl(kept, there)

    expect([inProcesses, inPods]).toEqual(['Yg==', 'Yg=='])
  })
})
