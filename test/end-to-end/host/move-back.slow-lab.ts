import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import type { RunningCommand } from '../../support/cli/cli.ts'
import { startWriter } from '../../support/data/config-map-writer.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { quietKubectl } from '../../support/data/moves.ts'
import { until } from '../../support/until.ts'

// In their order: one plane goes from place to place.
describeOnHost('a plane that goes where it cannot start, and back', { shuffle: false }, () => {
  let cli: HostCli
  let first: string
  let second: string
  const at = (namespace: string) => ['dev', '--namespace', namespace]
  const kubectl = (...words: string[]) => quietKubectl(cli, words)

  beforeAll(async () => {
    cli = await createHostCli()
    first = await cli.makeNamespace()
    second = await cli.makeNamespace()
    await cli.ok(['create', ...at(first), '--connect'])
    await kubectl('create', 'configmap', 'before')
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('comes back when that was interrupted after the fence, and nobody else brings it back', async () => {
    const inFirst = ['--namespace', first]

    const killed = cli.start(['move', ...at(first), '--to-namespace', second, '--yes'])
    await until('the fence', async () => !(await pods(first)).includes('kube-apiserver'))
    await killed.kill()
    const resumed = await cli.run(['resume', ...at(first)])
    await cli.host(['scale', 'deployment/vplane-dev-kube-apiserver', '--replicas=1', ...inFirst])
    const mounts = ['get', 'events', ...inFirst, '--field-selector=reason=FailedMount']
    await until('the pod to fail', async () =>
      (await cli.host(mounts)).includes('references non-existent secret key'),
    )
    await cli.ok(['move', ...at(first), '--abort', '--yes'])

    expect(resumed.stderr).toContain('"dev" is fenced: it is being moved to')
    expect(await kubectl('get', 'configmap', 'before', '-o=name')).toBe('configmap/before\n')
    expect(await pods(second)).toBe('')
  })

  test('says why it cannot start there, and comes back whole', async () => {
    const moving = await moveToWhereNothingStarts()
    const { code, stderr } = await moving.ended
    const stuck = await snapshots()
    await cli.ok(['move', ...at(first), '--abort', '--yes'])
    await cli.host(['delete', 'quota', 'full', '--namespace', second])

    expect(code, stderr).toBe(7)
    expect(stderr).toContain('quota "full"')
    expect(await kubectl('get', 'configmap', 'before', '-o=name')).toBe('configmap/before\n')
    expect(await remainsIn(second)).toBe('')
    expect([stuck, await snapshots()]).toEqual([[], []])
  })

  test('continues when it was killed after it was handed over, and back to where it is kept', async () => {
    const moving = await moveToWhereNothingStarts()
    const wanted = ['get', 'deployment', 'vplane-dev-kube-apiserver', '-n', second]
    await until('the hand-over', async () =>
      (await cli.host([...wanted, '-o=jsonpath={.spec.replicas}'])).includes('1'),
    )
    await moving.kill()
    await cli.host(['delete', 'quota', 'full', '--namespace', second])
    await cli.ok(['move', ...at(first), '--keep-source', '--yes'])
    await kubectl('create', 'configmap', 'since')
    const late = await cli.run(['move', ...at(first), '--abort', '--yes'])
    await cli.ok(['move', ...at(second), '--to-namespace', first, '--yes'])

    expect(late.stderr).toContain('where it may have accepted writes since')
    expect(late.stderr).toContain(`--to-namespace ${first}`)
    expect(await kubectl('get', 'configmap', 'before', 'since', '-o=name')).toBe(
      'configmap/before\nconfigmap/since\n',
    )
    expect(await remainsIn(second)).toBe('')
  })

  test('is brought to a host cluster from this machine with every write, and its writer continues', async () => {
    await cli.ok(['create', 'here', '--driver', 'local', '--connect'])
    const writer = await startWriter(cli)

    const third = await cli.makeNamespace()
    const words = ['here', '--driver', 'local', '--to-namespace', third, '--yes', '--json']
    const moved = await cli.json(['move', ...words])
    const { length } = await writer.soFar()
    await until('another write', async () => (await writer.soFar()).length > length)
    const { taken } = await writer.stop()
    const names = (await kubectl('get', 'configmaps', '-o=name')).split('\n')

    expect(moved).toMatchObject({ moved: true, from: { driver: 'local' }, leftovers: [] })
    expect(taken.filter((name) => !names.includes(`configmap/${name}`))).toEqual([])
  })

  /** Fills the host namespace up when etcd runs there, so that kube-apiserver gets no pod. */
  async function moveToWhereNothingStarts(): Promise<RunningCommand> {
    const moving = cli.start(['move', ...at(first), '--to-namespace', second, '--yes'])
    await until('etcd', async () => (await pods(second)).includes('etcd'))
    const quota = ['create', 'quota', 'full', '--hard=pods=1', '--namespace', second]
    await cli.host(quota)
    return moving
  }

  function pods(namespace: string): Promise<string> {
    return cli.host(['get', 'pods', '--namespace', namespace, '-o=name'])
  }

  function remainsIn(namespace: string): Promise<string> {
    const kinds = 'pods,services,secrets,persistentvolumeclaims,deployments,statefulsets'
    return cli.host(['get', kinds, '--namespace', namespace, '-o=name'])
  }

  async function snapshots(): Promise<unknown> {
    return (await cli.json(['snapshot', 'list', '--json'])).items
  }
})
