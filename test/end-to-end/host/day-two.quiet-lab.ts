import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import type { EventsResult } from '../../../src/commands/events.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { takeBusyMachine } from '../../support/machine/busy-machine.ts'
import { lostOf, startWriter } from '../../support/data/config-map-writer.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { type HostEtcd, openHostEtcd } from '../../support/host/damage/host-etcd.ts'
import { HostPlane } from '../../support/host/planes/host-plane.ts'
import { hostObjects } from '../../support/host/host-objects.ts'

const TEN_A_SECOND = { perSecond: 10, patienceSeconds: 30 }

/** Of a member of etcd that goes: whether its volume, its pod, the member and its address are there still. */
const STAYS = [true, true, true, true]
/** The address goes first, the volume last; what was looked at before is not younger than what was looked at after. */
const GOING = [0, 1, 2, 3, 4].map((gone) => STAYS.map((_, place) => place < 4 - gone).join())

// In their order: all of them change one plane.
describeOnHost('the second day of a plane', { shuffle: false }, () => {
  let cli: HostCli
  let namespace: string
  let day: HostPlane

  // Beside another plane that is upgraded, its client would wait too long.
  takeBusyMachine()

  beforeAll(async () => {
    cli = await createHostCli()
    namespace = cli.newNamespace()
    day = new HostPlane(cli, namespace, 'day')
    await cli.lab.loadPlaneImages('1.35')
    await cli.ok(['create', ...day.at, '--version', '1.35'])
    for (const kind of ['configmap', 'secret generic']) {
      await day.kubectl(['create', ...kind.split(' '), 'kept'])
    }
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('a flag replaces the pods of its component alone, and a fixed field is refused', async () => {
    const before = await day.podIds()

    const fixed = await cli.run(['set', ...day.at, 'clusterDomain=other', '--yes'])
    const nobody = await cli.run(['set', ...day.at, 'apiServer.extraArgs.v=2'])
    const flags = ['apiServer.extraArgs.v=2']
    const { stderr } = await cli.run(['set', ...day.at, ...flags, '--yes'])
    const again = await cli.ok(['set', ...day.at, 'apiServer.extraArgs.v=2', '--yes'])

    const after = await day.podIds()
    expect([fixed.code, nobody.code]).toEqual([2, 2])
    expect(fixed.stderr).toContain('"clusterDomain" stays')
    expect(stderr).toContain('  1. replace the pods of kube-apiserver\n')
    expect(stderr).not.toContain('  2. ')
    expect(again).toBe('"day" is already up to date.\n')
    expect(after.get('etcd')).toEqual(before.get('etcd'))
    expect(after.get('kube-controller-manager')).toEqual(before.get('kube-controller-manager'))
    expect(after.get('kube-apiserver')).not.toEqual(before.get('kube-apiserver'))
  })

  test('a change that was killed is shown with what continues it, and finished before a rotation', async () => {
    const flags = ['apiServer.extraArgs.v=3', '--yes']
    const described = (): Promise<PlaneDetails> => cli.json(['describe', ...day.at, '--json'])
    const changing = cli.start(['set', ...day.at, ...flags])
    await expect
      .poll(async () => (await described()).operation, { interval: 100 })
      .toMatchObject({ kind: 'change', interrupted: false, hints: [] })
    await changing.kill()
    const { operation } = await described()
    const events: EventsResult = await cli.json(['events', ...day.at, '--json'])
    const metrics = await cli.ok(['metrics', ...day.at])
    const rotating = await cli.run(['certs', 'rotate', ...day.at, '--yes'])
    const again = await cli.ok(['set', ...day.at, ...flags])

    const hints = [`to continue: vplane resume day --namespace ${namespace}`]
    expect(operation).toMatchObject({ kind: 'change', interrupted: true, hints })
    expect(events.operation).toEqual(operation)
    expect(metrics).toContain('vplane_operation_interrupted{plane="day",operation="change"} 1\n')
    expect(rotating.code, rotating.stderr).toBe(0)
    expect(rotating.stderr).toContain(
      'a change of the spec of "day" was interrupted: it is finished first\n',
    )
    expect((await described()).operation).toBeNull()
    expect(again).toBe('"day" is already up to date.\n')
  })

  test('etcd gets members and loses them, and no write that was taken', async () => {
    const writer = await startWriter(cli, day.at)

    const even = await cli.run(['scale', ...day.at, '--etcd', '2', '--yes'])
    await cli.ok(['scale', ...day.at, '--etcd', '3', '--yes'])
    const three = await day.volumes()
    await using etcd = await openHostEtcd(cli.lab, { name: 'day', namespace }, 3)
    // Who leads is the first to go.
    await etcd.lead(2)
    const scaling = cli.start(['scale', ...day.at, '--etcd', '1', '--yes'])
    const looks = await looksUntil(scaling.ended, etcd)

    const { taken } = await writer.stop()
    const { code, stderr } = await scaling.ended
    expect(even.code).toBe(2)
    expect(code, stderr).toBe(0)
    expect(looks).toContainEqual(STAYS)
    expect(looks.filter((look) => !GOING.includes(look.join()))).toEqual([])
    expect(three).toHaveLength(3)
    expect(await day.volumes()).toEqual(['persistentvolumeclaim/data-vplane-day-etcd-0'])
    expect(taken.length).toBeGreaterThan(20)
    expect(await lostOf(cli, day.at, taken)).toEqual([])
  })

  test('an upgrade loses nothing, and removes no kube-apiserver before the next one is ready', async () => {
    const writer = await startWriter(cli, day.at, TEN_A_SECOND)

    const back = await cli.run(['upgrade', ...day.at, '--version', '1.34', '--yes'])
    await cli.ok(['upgrade', ...day.at, '--version', '1.36', '--yes'])

    const { failures, longestGapMs, taken } = await writer.stop()
    process.stderr.write(
      `nano was away for ${longestGapMs.toFixed()} ms of an upgrade, ${failures.length} of ${taken.length} failed\n`,
    )
    expect(back.code).toBe(2)
    expect(await day.versions()).toEqual(['1.36.3', 'v1.36.3', '3.6.16'])
    expect(await day.snapshots()).toBe(1)
    const kept = ['get', 'configmap/kept', 'secret/kept', '--output', 'name']
    expect(await day.kubectl(kept)).toBe('configmap/kept\nsecret/kept\n')
    expect(await lostOf(cli, day.at, taken)).toEqual([])
    // An open connection continues; a new one may have to be opened again at the moment of a change.
    expect(failures.length).toBeLessThan(taken.length / 10)
    expect(longestGapMs).toBeLessThan(30_000)
  })

  test('all of it goes with the plane', async () => {
    await cli.ok(['delete', ...day.at, '--yes'])

    expect(await hostObjects(cli.lab, namespace)).toEqual(new Map())
  })

  /** What is left of the members that go, again and again until something has ended. */
  async function looksUntil(ended: Promise<unknown>, etcd: HostEtcd): Promise<boolean[][]> {
    const looks: boolean[][] = []
    const end = new AbortController()
    void ended.then(() => end.abort())
    while (!end.signal.aborted) {
      looks.push(...(await look(etcd)))
    }
    return looks
  }

  /** Whether volume, pod, member and address are there, in the opposite order of that in which they go. */
  async function look(etcd: HostEtcd): Promise<boolean[][]> {
    const names = [1, 2].map((ordinal) => `vplane-day-etcd-${ordinal}`)
    const claims = await day.living('pvc')
    const members = await day.living('pods')
    const known = await etcd.members()
    const servers = (await day.living('pods')).filter(({ metadata }) =>
      metadata.name?.startsWith('vplane-day-kube-apiserver-'),
    )
    const isIn = (items: KubeObject[], name: string) =>
      items.some(({ metadata }) => metadata.name === name)
    return names.map((name) => [
      isIn(claims, `data-${name}`),
      isIn(members, name),
      known.includes(name),
      servers.some(({ spec }) => JSON.stringify(spec).includes(`https://${name}.`)),
    ])
  }
})
