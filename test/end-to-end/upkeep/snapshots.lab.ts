import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'

const PASSPHRASE = { env: { VPLANE_PASSPHRASE: 'correct horse' } }

describeOnHost('snapshots of a plane in a host cluster', () => {
  let cli: HostCli
  let namespace: string
  let at: string[]
  const kubectl = (words: string[], plane = ['dev', ...at]) =>
    cli.ok(['connect', ...plane, '--', 'kubectl', ...words])

  beforeAll(async () => {
    cli = await createHostCli()
    namespace = cli.newNamespace()
    at = ['--namespace', namespace]
    await cli.ok(['create', 'dev', ...at])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('restore what a plane had, after a restore that was killed too', async () => {
    const file = join(cli.root, 'dev.db')
    await kubectl(['create', 'configmap', 'before'])
    const taken = await cli.json(['snapshot', 'create', 'dev', ...at, '-o', file, '--json'])
    await kubectl(['create', 'configmap', 'after'])
    const words = ['restore', 'dev', ...at, '--from', file, '--force', '--yes']

    const killed = cli.start(words)
    const pods = ['get', 'pods', ...at, '--output=name']
    await waitFor(async () => !(await cli.host(pods)).includes('kube-apiserver'), {
      what: 'the stop',
      timeoutMs: 120_000,
      intervalMs: 500,
    })
    await killed.kill()
    const refusal = await cli.run(['resume', 'dev', ...at])
    await cli.ok(words)
    const names = (await kubectl(['get', 'configmaps', '--output=name'])).split('\n')
    const statefulSet = await cli.host(['get', 'statefulset', 'vplane-dev-etcd', ...at, '-o=json'])
    const next = await cli.run(['set', 'dev', ...at, 'apiServer.extraArgs.v=1', '--dry-run'])

    expect(taken.sizeBytes).toBe(statSync(file).size)
    expect(refusal.stderr).toContain('a restore of "dev" was interrupted')
    expect(names).toContain('configmap/before')
    expect(names).not.toContain('configmap/after')
    expect(JSON.parse(statefulSet).spec.template.spec.initContainers).toBeUndefined()
    expect(next.stdout).toContain('replace the pods of kube-apiserver')
    expect(next.stderr).not.toContain('etcd')
  })

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
