import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'

describeOnHost('snapshots of a plane in a host cluster', () => {
  let cli: HostCli
  let at: string[]
  const kubectl = (words: string[]) => cli.ok(['connect', 'dev', ...at, '--', 'kubectl', ...words])

  beforeAll(async () => {
    cli = await createHostCli()
    at = ['--namespace', cli.newNamespace()]
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
})
