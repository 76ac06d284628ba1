import { afterAll, beforeAll, expect, test } from 'vitest'
import { askEtcd } from '../../../src/etcd/post-to-etcd.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { startWriter } from '../../support/data/config-map-writer.ts'
import { fillEtcd } from '../../support/data/fill-etcd.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { openHostEtcd } from '../../support/host/damage/host-etcd.ts'
import {
  alterMember,
  corruptMember,
  takeDataAway,
} from '../../support/host/damage/damage-member.ts'
import { DamagedPlane } from '../../support/host/damage/damaged-plane.ts'
import { signalContainer } from '../../support/host/damage/kill-container.ts'
import { changeObject } from '../../support/host/planes/older-plane.ts'

const PATIENT = { timeout: 120_000, interval: 1000 }

// In their order: all of them break one plane.
describeOnHost('members of etcd that are damaged', { shuffle: false }, () => {
  let cli: HostCli
  let namespace: string
  let plane: DamagedPlane
  let full: DamagedPlane

  beforeAll(async () => {
    cli = await createHostCli()
    namespace = cli.newNamespace()
    plane = new DamagedPlane(cli, namespace, 'ill')
    full = new DamagedPlane(cli, namespace, 'full')
    const soon = 'etcd.extraArgs.compact-hash-check-time=5s'
    await cli.ok(['create', ...plane.at, '--set', 'etcd.replicas=3', '--set', soon])
    // Until then an empty volume is no loss.
    await plane.untilClosed()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('a change after an interrupted repair gives the member its data again, and touches no other', async () => {
    const writer = await startWriter(cli, plane.at)
    await plane.wipe(1)
    await expect.poll(() => plane.found(), PATIENT).toContain('its data is lost')
    const before = await Promise.all([plane.claimOf(0), plane.claimOf(2)])
    const claim = await plane.holdClaim(1)
    const repairing = cli.start(['repair', ...plane.at, '--yes'])
    await expect.poll(claim.isEnding, PATIENT).toBe(true)
    await repairing.kill()
    await using etcd = await openHostEtcd(cli.lab, { name: plane.name, namespace }, 3)
    const left = await etcd.members()
    await claim.release()
    await cli.ok(['set', ...plane.at, 'apiServer.extraArgs.v=2', '--yes'])
    const { taken } = await writer.stop()
    expect(left.toSorted()).toEqual(['vplane-ill-etcd-0', 'vplane-ill-etcd-2'])
    expect(await Promise.all([plane.claimOf(0), plane.claimOf(2)])).toEqual(before)
    await expect.poll(() => plane.readyMembers()).toBe(3)
    // The kube-apiserver that was replaced takes a while to end.
    await plane.untilWell()
    expect(taken.length).toBeGreaterThan(20)
    expect(await plane.lost(taken)).toEqual([])
  })

  test('one member of three, as vplane 0.1.0 could leave it, gets the others again, and no write is lost', async () => {
    await cli.ok(['connect', ...plane.at, '--', 'kubectl', 'create', 'configmap', 'kept'])
    // As it asked members to start that were to join.
    const files = ['configmap/vplane-ill-etcd', '--namespace', namespace]
    await changeObject(cli, files, (object) => ({
      ...object,
      data: Object.fromEntries(
        Object.entries(Object(object['data'])).map(([file, text]) => [
          file,
          String(text).replace(
            /"initial-cluster": "[^"]*"/,
            `"initial-cluster": "${ofThree(namespace)}"`,
          ),
        ]),
      ),
    }))
    const etcd = await openHostEtcd(cli.lab, { name: plane.name, namespace }, 3)
    for (const ordinal of [2, 1]) {
      await etcd.remove(ordinal)
      await plane.wipe(ordinal)
    }
    const members = await etcd.members()
    await etcd[Symbol.asyncDispose]()
    await expect.poll(() => plane.lastWords(2), PATIENT).toContain('member count is unequal')

    await cli.ok(['repair', ...plane.at, '--yes'])

    expect(members).toEqual(['vplane-ill-etcd-0'])
    await expect.poll(() => plane.readyMembers()).toBe(3)
    await plane.untilWell()
    expect(await plane.lost(['kept'])).toEqual([])
  })

  test('the first of three volumes was wiped: the member gets the data of the others, and no write is lost', async () => {
    const writer = await startWriter(cli, plane.at)

    await plane.wipe(0)
    await expect.poll(() => plane.found(), PATIENT).toContain('its data is lost')
    const scaling = await cli.run(['scale', ...plane.at, '--etcd', '5', '--yes'])
    await cli.ok(['repair', ...plane.at, '--yes'])

    const { taken } = await writer.stop()
    expect(scaling.code).toBe(7)
    expect(scaling.stderr).toContain('vplane-ill-etcd-0 of "ill" does not work')
    await expect.poll(() => plane.readyMembers()).toBe(3)
    await plane.untilWell()
    expect(taken.length).toBeGreaterThan(20)
    expect(await plane.lost(taken)).toEqual([])
  })

  test('the database of one of three members is corrupt: it gets the data of the others', async () => {
    const writer = await startWriter(cli, plane.at)

    corruptMember(await plane.containerOf(1))
    await expect.poll(() => plane.found(), PATIENT).toContain('data is corrupt')
    await cli.ok(['repair', ...plane.at, '--yes'])

    const { taken } = await writer.stop()
    await expect.poll(() => plane.readyMembers()).toBe(3)
    await plane.untilWell()
    expect(taken.length).toBeGreaterThan(5)
    expect(await plane.lost(taken)).toEqual([])
  })

  test('a member has another value than the others on its disk: its next compaction tells, and it gets their data', async () => {
    const kubectl = ['connect', ...plane.at, '--', 'kubectl']
    await cli.ok([...kubectl, 'create', 'configmap', 'value', '--from-literal=is=sound-value'])
    await using etcd = await openHostEtcd(cli.lab, { name: 'ill', namespace }, 3)
    const signal = AbortSignal.timeout(120_000)
    const revision = (await etcd.cluster.probe(signal)).statuses[0]?.revision

    alterMember(await plane.containerOf(1), 'sound-value', 'other-value')
    await plane.untilWell()
    const compaction = { path: '/v3/kv/compaction', body: { revision: String(revision) }, signal }
    await askEtcd(etcd.cluster.at(0), compaction)
    await expect
      .poll(() => plane.found(), PATIENT)
      .toContain('vplane-ill-etcd-1: its data is corrupt')
    await cli.ok(['repair', ...plane.at, '--yes'])

    await plane.untilWell()
    expect((await etcd.cluster.probe(signal)).alarms).toEqual([])
    expect(await cli.ok([...kubectl, 'get', 'configmap', 'value', '--output=yaml'])).toContain(
      'is: sound-value',
    )
  })

  test('two of three members miss their data for a while: repair waits for it when that is chosen', async () => {
    await cli.ok(['connect', ...plane.at, '--', 'kubectl', 'create', 'configmap', 'away'])
    await cli.ok(['snapshot', 'create', ...plane.at])
    const giveBack = (await Promise.all([plane.containerOf(0), plane.containerOf(2)])).map(
      takeDataAway,
    )
    let offer = ''
    await waitFor(
      async () => {
        offer = await plane.found()
        return offer.includes('lost its majority')
      },
      { what: 'the loss', timeoutMs: 120_000, intervalMs: 1000 },
    )
    const early = await cli.run(['repair', ...plane.at, '--wait', '--yes', '--timeout', '5s'])
    const waiting = cli.run(['repair', ...plane.at, '--wait', '--yes'])
    giveBack.forEach((one) => one())
    const { code, stderr } = await waiting

    expect(offer).toMatch(
      /its state of (?:\d+m)?\d+m?s ago: vplane restore ill .*--force --from ill-\d{8}/,
    )
    expect(early.code).toBe(6)
    expect(early.stderr).toContain('waiting for a majority of etcd of "ill"')
    expect(code, stderr).toBe(0)
    // A majority is what it waits for.
    await expect.poll(() => plane.readyMembers(), { timeout: 60_000 }).toBe(3)
    expect(await plane.lost(['away'])).toEqual([])
  })

  test('a volume that is wiped right after create is a loss, though nobody has looked', async () => {
    const young = new DamagedPlane(cli, namespace, 'young')
    await cli.ok(['create', ...young.at, '--set', 'etcd.replicas=3'])

    await young.wipe(2)
    const flags = ['--namespace', namespace, '--output', 'json']
    const restarts = async () => {
      const shown = await cli.host(['get', 'pod/vplane-young-etcd-2', ...flags]).catch(() => '{}')
      const [container] = [Object(JSON.parse(shown).status).containerStatuses ?? []].flat()
      return Number(Object(container).restartCount ?? 0)
    }
    await expect.poll(restarts, PATIENT).toBeGreaterThan(0)

    const { stderr } = await cli.run(['repair', ...young.at, '--yes'])
    expect(stderr).toContain('vplane-young-etcd-2: its data is lost')
    await cli.ok(['delete', ...young.at, '--yes'])
  })

  test('etcd gets smaller while its last member is broken, and no write is lost', async () => {
    await cli.ok(['scale', ...plane.at, '--etcd', '3', '--yes'])
    await plane.untilClosed()
    await cli.ok(['connect', ...plane.at, '--', 'kubectl', 'create', 'configmap', 'before'])
    await plane.wipe(2)
    await expect.poll(() => plane.found(), PATIENT).toContain('its data is lost')

    await cli.ok(['scale', ...plane.at, '--etcd', '1', '--yes'])

    await expect.poll(() => plane.readyMembers()).toBe(1)
    expect(await plane.lost(['before'])).toEqual([])
  })

  test('two of five members without volumes lost their pods: the keeper brings them back', async () => {
    const quota = `etcd.extraArgs.quota-backend-bytes=${4 * 1024 ** 2}`
    const members = ['--ephemeral', '--set', 'etcd.replicas=5', '--set', quota]
    await cli.ok(['create', ...full.at, ...members])
    await full.untilClosed()
    await cli.ok(['connect', ...full.at, '--', 'kubectl', 'create', 'configmap', 'before'])

    const pods = ['pod/vplane-full-etcd-0', 'pod/vplane-full-etcd-4']
    await cli.host(['delete', ...pods, '--namespace', namespace, '--grace-period=0', '--force'])

    const events = () => cli.ok(['events', 'full', '--namespace', namespace])
    const all =
      /etcd-0 has the data[^]*etcd-4 has the data|etcd-4 has the data[^]*etcd-0 has the data/
    await expect.poll(events, PATIENT).toMatch(all)
    const command = ['kubectl', 'get', 'configmap', 'before', '--output', 'name']
    expect(await cli.ok(['connect', ...full.at, '--', ...command])).toBe('configmap/before\n')
  })

  test('its keeper has no more rights than that takes', async () => {
    const account = `system:serviceaccount:${namespace}:vplane-keeper`
    const [own, ofIll] = ['delete pod/vplane-full-etcd-0', 'delete pod/vplane-ill-etcd-0']
    const more = [
      'patch configmap/vplane-ill-etcd',
      'update lease.coordination.k8s.io/vplane-ill-lock',
    ]

    const asked = [own, ofIll, 'list pods', 'get secrets', ...more]
    const flags = ['--as', account, '--namespace', namespace]
    expect(await cli.granted(asked, flags)).toEqual([own])
  })

  test('a full etcd takes writes again', async () => {
    await fillEtcd(cli, full.at)

    const { stderr } = await cli.run(['repair', ...full.at, '--yes'])

    expect(stderr).toContain('its database is full')
    await cli.ok(['connect', ...full.at, '--', 'kubectl', 'create', 'configmap', 'after'])
  })

  test('a component that hangs makes the plane NotReady, and repair ends that', async () => {
    // What has not been ready yet may only need time.
    await plane.untilReady()
    const { containerId, name } = await plane.readyPodOf('kube-controller-manager')

    signalContainer(containerId, 'SIGSTOP')
    // Commands of a busy machine take a while themselves: it counts when the host knows.
    const flags = ['--namespace', namespace, '--for=condition=Ready=false', '--timeout=60s']
    await cli.host(['wait', `pod/${name}`, ...flags])
    const noticed = await plane.phase()
    const listed = await cli.ok(['list', '--namespace', namespace])
    await cli.ok(['repair', ...plane.at, '--yes'])

    expect(noticed).toBe('NotReady')
    expect(listed).toMatch(/^ill .*NotReady/m)
    await plane.untilReady()
  })
})

/** The members of etcd of "ill", as etcd's configuration names them. */
function ofThree(namespace: string): string {
  const names = [0, 1, 2].map((ordinal) => `vplane-ill-etcd-${ordinal}`)
  return names
    .map((name) => `${name}=https://${name}.vplane-ill-etcd-peers.${namespace}.svc:2380`)
    .join()
}
