import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HostObject } from '../../../src/drivers/kubernetes/host-api.ts'
import { isReadyPod } from '../../../src/drivers/kubernetes/status/look.ts'
import { fieldOf } from '../../../src/shared/stored-format.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { canRunLab } from '../../lab/lab.ts'
import { startWriter } from '../../support/config-map-writer.ts'
import { cutOff } from '../../support/cut-off.ts'
import { fillEtcd } from '../../support/fill-etcd.ts'
import { createHostCli, type HostCli } from '../../support/host-cli.ts'
import { corruptMember, takeDataAway } from '../../support/damage-member.ts'
import { killContainer, signalContainer } from '../../support/kill-container.ts'

const TIMEOUT_MS = 600_000

// In their order: all of them break one plane.
describe.skipIf(canRunLab() !== undefined)(
  'repair of a plane with three members of etcd',
  { shuffle: false, timeout: TIMEOUT_MS },
  () => {
    let cli: HostCli
    let namespace: string
    let ill: string[]
    let full: string[]

    beforeAll(async () => {
      cli = await createHostCli()
      namespace = cli.newNamespace()
      ill = ['ill', '--namespace', namespace]
      full = ['full', '--namespace', namespace]
      await cli.ok(['create', ...ill, '--set', 'etcd.replicas=3'])
    })
    afterAll(async () => {
      await cli[Symbol.asyncDispose]()
    })

    test('finds nothing wrong with a plane that is well', async () => {
      await expect.poll(() => isClosed('ill'), { timeout: 120_000, interval: 1000 }).toBe(true)

      expect(await cli.ok(['repair', ...ill])).toBe('Nothing is wrong with "ill".\n')
    })

    // Seed 001: what such a topology is for.
    test('processes of etcd and kube-apiserver crash: the plane takes writes again by itself, and none is lost', async () => {
      const writer = await startWriter(cli, ill)

      for (const component of ['etcd', 'kube-apiserver']) {
        const { containerId } = await readyPodOf(component)
        expect(killContainer(containerId)).toBeGreaterThan(0)
        const { length } = await writer.soFar()
        const more = async () => (await writer.soFar()).length - length
        await expect.poll(more, { timeout: 60_000, interval: 200 }).toBeGreaterThan(3)
      }

      const { taken } = await writer.stop()
      expect(await lost(taken)).toEqual([])
      await expect.poll(phase, { timeout: 60_000, interval: 1000 }).toBe('Ready')
    })

    test('the network parts the member that leads from the others: they take writes, and it is one of them again', async () => {
      const leading = /^vplane_etcd_leader\{.*member="([^"]+)"\} 1$/m
      const leader = await waitFor(async () => (await figures(leading))[1], {
        what: 'the member that leads',
        timeoutMs: 60_000,
      })
      const { items } = await podsOf('etcd')
      const others = items.filter(({ metadata }) => metadata.name !== leader)
      const addresses = others.map(({ status }) => String(fieldOf(status, 'podIP')))
      const up = (value: 0 | 1) =>
        new RegExp(`^vplane_etcd_member_up.*"${leader}"\\} ${value}$`, 'm')
      const writer = await startWriter(cli, ill)

      const { containerId } = await readyPodOf('etcd', leader)
      const parted = cutOff(containerId, addresses)
      try {
        await expect.poll(() => figures(up(0)), { timeout: 60_000 }).toHaveLength(1)
        const { length } = await writer.soFar()
        const more = async () => (await writer.soFar()).length - length
        await expect.poll(more, { timeout: 90_000, interval: 200 }).toBeGreaterThan(3)
      } finally {
        parted[Symbol.dispose]()
      }

      await expect.poll(() => figures(up(1)), { timeout: 60_000 }).toHaveLength(1)
      const { taken } = await writer.stop()
      expect(await lost(taken)).toEqual([])
      await expect.poll(phase, { timeout: 60_000, interval: 1000 }).toBe('Ready')
    })

    test('a change after an interrupted repair gives the member its data again, and touches no other', async () => {
      const writer = await startWriter(cli, ill)
      await wipe(1)
      await expect.poll(found, { timeout: 120_000, interval: 1000 }).toContain('its data is lost')
      const before = await Promise.all([claimOf(0), claimOf(2)])
      const repairing = cli.start(['repair', ...ill, '--yes'])
      await expect.poll(journal, { timeout: 60_000, interval: 50 }).toContain('emptying')
      repairing.child.kill('SIGKILL')
      await repairing.ended
      await cli.ok(['set', ...ill, 'apiServer.extraArgs.v=2', '--yes'])
      const { taken } = await writer.stop()
      expect(await Promise.all([claimOf(0), claimOf(2)])).toEqual(before)
      expect(await readyMembers()).toBe(3)
      // The kube-apiserver that was replaced takes a while to end.
      const said = async () => (await cli.run(['repair', ...ill])).stdout
      await expect.poll(said, { timeout: 60_000, interval: 1000 }).toContain('Nothing is wrong')
      expect(taken.length).toBeGreaterThan(20)
      expect(await lost(taken)).toEqual([])
    })

    test('the first of three volumes was wiped: the member gets the data of the others, and no write is lost', async () => {
      const writer = await startWriter(cli, ill)

      await wipe(0)
      await expect.poll(found, { timeout: 120_000, interval: 1000 }).toContain('its data is lost')
      const scaling = await cli.run(['scale', ...ill, '--etcd', '5', '--yes'])
      await cli.ok(['repair', ...ill, '--yes'])

      const { taken } = await writer.stop()
      expect(scaling.code).toBe(7)
      expect(scaling.stderr).toContain('vplane-ill-etcd-0 of "ill" does not work')
      expect(await readyMembers()).toBe(3)
      expect(await cli.ok(['repair', ...ill])).toBe('Nothing is wrong with "ill".\n')
      expect(taken.length).toBeGreaterThan(20)
      expect(await lost(taken)).toEqual([])
    })

    test('the database of one of three members is corrupt: it gets the data of the others', async () => {
      const writer = await startWriter(cli, ill)

      corruptMember(await containerOf(1))
      await expect.poll(found, { timeout: 120_000, interval: 1000 }).toContain('data is corrupt')
      await cli.ok(['repair', ...ill, '--yes'])

      const { taken } = await writer.stop()
      expect(await readyMembers()).toBe(3)
      expect(await cli.ok(['repair', ...ill])).toBe('Nothing is wrong with "ill".\n')
      expect(taken.length).toBeGreaterThan(5)
      expect(await lost(taken)).toEqual([])
    })

    test('two of three members miss their data for a while: repair waits for it when that is chosen', async () => {
      await cli.ok(['connect', ...ill, '--', 'kubectl', 'create', 'configmap', 'away'])
      await cli.ok(['snapshot', 'create', ...ill])
      const giveBack = (await Promise.all([containerOf(0), containerOf(2)])).map(takeDataAway)
      let offer = ''
      await waitFor(
        async () => {
          offer = await found()
          return offer.includes('lost its majority')
        },
        { what: 'the loss', timeoutMs: 120_000, intervalMs: 1000 },
      )
      const early = await cli.run(['repair', ...ill, '--wait', '--yes', '--timeout', '5s'])
      const waiting = cli.run(['repair', ...ill, '--wait', '--yes'])
      giveBack.forEach((one) => one())
      const { code, stderr } = await waiting

      expect(offer).toMatch(
        /what it was (?:\d+m)?\d+m?s ago: vplane restore ill .*--force --from ill-\d{8}/,
      )
      expect(early.code).toBe(6)
      expect(early.stderr).toContain('waiting for a majority of etcd of "ill"')
      expect(code, stderr).toBe(0)
      // A majority is what it waits for.
      await expect.poll(readyMembers, { timeout: 60_000 }).toBe(3)
      expect(await lost(['away'])).toEqual([])
    })

    test('a volume that is wiped right after create is a loss, though nobody has looked', async () => {
      const young = ['young', '--namespace', namespace]
      await cli.ok(['create', ...young, '--set', 'etcd.replicas=3'])

      await wipe(2, 'young')
      const flags = ['--namespace', namespace, '--output', 'json']
      const restarts = async () => {
        const shown = await cli.host(['get', 'pod/vplane-young-etcd-2', ...flags]).catch(() => '{}')
        const [container] = [Object(JSON.parse(shown).status).containerStatuses ?? []].flat()
        return Number(Object(container).restartCount ?? 0)
      }
      await expect.poll(restarts, { timeout: 120_000, interval: 1000 }).toBeGreaterThan(0)

      const { stderr } = await cli.run(['repair', ...young, '--yes'])
      expect(stderr).toContain('vplane-young-etcd-2: its data is lost')
      await cli.ok(['delete', ...young, '--yes'])
    })

    test('two of three volumes were wiped: nothing is done that was not chosen, then the survivor gives all', async () => {
      await cli.ok(['connect', ...ill, '--', 'kubectl', 'create', 'configmap', 'before'])
      await Promise.all([wipe(1), wipe(2)])
      await expect.poll(found, { timeout: 120_000, interval: 1000 }).toContain('lost its majority')

      const unchosen = await cli.run(['repair', ...ill, '--yes'])
      await cli.ok(['repair', ...ill, '--yes', '--from-survivor'])

      expect(unchosen.code).toBe(7)
      expect(unchosen.stderr).toMatch(/--wait[^]*--from-survivor[^]*vplane restore ill/)
      expect(await lost(['before'])).toEqual([])
      await expect.poll(readyMembers, { timeout: 60_000 }).toBe(3)
      expect(await cli.ok(['repair', ...ill])).toBe('Nothing is wrong with "ill".\n')
    })

    test.for([
      { count: 3, survivors: [0], wiped: [1, 2] },
      { count: 5, survivors: [0, 1], wiped: [3, 4, 2] },
    ])(
      '$wiped of $count volumes were wiped and the survivors restarted: they give every write that was acknowledged',
      async ({ count, survivors, wiped }) => {
        await cli.ok(['scale', ...ill, '--etcd', String(count), '--yes'])
        await expect.poll(() => isClosed('ill'), { timeout: 60_000, interval: 1000 }).toBe(true)
        const writer = await startWriter(cli, ill)
        // From now on nothing is acknowledged that a survivor does not have.
        await Promise.all(wiped.slice(0, -1).map((ordinal) => wipe(ordinal)))
        const { length: before } = await writer.soFar()
        const more = async () => (await writer.soFar()).length - before
        await expect.poll(more, { timeout: 60_000, interval: 500 }).toBeGreaterThan(10)

        await Promise.all([
          ...survivors.map((ordinal) => end(ordinal)),
          ...wiped.slice(-1).map((ordinal) => wipe(ordinal)),
        ])
        const { taken } = await writer.stop()
        const offer = /go on from what vplane-ill-etcd-[01] has, up to revision \d+ and what else/
        await expect.poll(found, { timeout: 120_000, interval: 1000 }).toMatch(offer)
        const unchosen = await cli.run(['repair', ...ill, '--yes'])
        await cli.ok(['repair', ...ill, '--yes', '--from-survivor'])

        expect(unchosen.code).toBe(7)
        expect(await lost(taken)).toEqual([])
        await expect.poll(readyMembers, { timeout: 60_000 }).toBe(count)
        expect(await cli.ok(['repair', ...ill])).toBe('Nothing is wrong with "ill".\n')
      },
    )

    test('etcd gets smaller while its last member is broken, and no write is lost', async () => {
      await cli.ok(['scale', ...ill, '--etcd', '3', '--yes'])
      await expect.poll(() => isClosed('ill'), { timeout: 60_000, interval: 1000 }).toBe(true)
      await wipe(2)
      await expect.poll(found, { timeout: 120_000, interval: 1000 }).toContain('its data is lost')

      await cli.ok(['scale', ...ill, '--etcd', '1', '--yes'])

      expect(await readyMembers()).toBe(1)
      expect(await lost(['before'])).toEqual([])
    })

    test('two of five members without volumes lost their pods: the keeper brings them back', async () => {
      const quota = `etcd.extraArgs.quota-backend-bytes=${4 * 1024 ** 2}`
      const members = ['--ephemeral', '--set', 'etcd.replicas=5', '--set', quota]
      await cli.ok(['create', ...full, ...members])
      await expect.poll(() => isClosed('full'), { timeout: 120_000, interval: 1000 }).toBe(true)
      await cli.ok(['connect', ...full, '--', 'kubectl', 'create', 'configmap', 'before'])

      const pods = ['pod/vplane-full-etcd-0', 'pod/vplane-full-etcd-4']
      await cli.host(['delete', ...pods, '--namespace', namespace, '--grace-period=0', '--force'])

      const events = () => cli.ok(['events', 'full', '--namespace', namespace])
      const all =
        /etcd-0 has the data[^]*etcd-4 has the data|etcd-4 has the data[^]*etcd-0 has the data/
      await expect.poll(events, { timeout: 120_000, interval: 1000 }).toMatch(all)
      const command = ['kubectl', 'get', 'configmap', 'before', '--output', 'name']
      expect(await cli.ok(['connect', ...full, '--', ...command])).toBe('configmap/before\n')
    })

    test('its keeper has no more rights than that takes', async () => {
      const account = `system:serviceaccount:${namespace}:vplane-full-keeper`
      const can = (...words: string[]) =>
        cli.host(['auth', 'can-i', ...words, '--as', account, '--namespace', namespace]).then(
          () => true,
          () => false,
        )

      expect(await can('delete', 'pod/vplane-full-etcd-0')).toBe(true)
      expect(await can('delete', 'pod/vplane-ill-etcd-0')).toBe(false)
      expect(await can('list', 'pods')).toBe(false)
      expect(await can('get', 'secrets')).toBe(false)
      expect(await can('patch', 'configmap/vplane-ill-etcd')).toBe(false)
      expect(await can('update', 'lease.coordination.k8s.io/vplane-ill-lock')).toBe(false)
    })

    test('a full etcd takes writes again', async () => {
      await fillEtcd(cli, full)

      const { stderr } = await cli.run(['repair', ...full, '--yes'])

      expect(stderr).toContain('its database is full')
      await cli.ok(['connect', ...full, '--', 'kubectl', 'create', 'configmap', 'after'])
    })

    test('a component that hangs makes the plane NotReady within 10 s, and repair ends that', async () => {
      // What has not been ready yet may only need time.
      await expect.poll(phase, { timeout: 60_000, interval: 1000 }).toBe('Ready')
      const { containerId, name } = await readyPodOf('kube-controller-manager')

      signalContainer(containerId, 'SIGSTOP')
      // Commands of a busy machine take a while themselves: it counts when the host knows.
      const flags = ['--namespace', namespace, '--for=condition=Ready=false', '--timeout=10s']
      await cli.host(['wait', `pod/${name}`, ...flags])
      const noticed = await phase()
      const listed = await cli.ok(['list', '--namespace', namespace])
      await cli.ok(['repair', ...ill, '--yes'])

      expect(noticed).toBe('NotReady')
      expect(listed).toMatch(/^ill .*NotReady/m)
      expect(await phase()).toBe('Ready')
    })

    async function phase(): Promise<string> {
      const { status }: { status: string } = JSON.parse(
        await cli.ok(['describe', ...ill, '--json']),
      )
      return status
    }

    /** What `vplane metrics` says where it says something, and its parts; nothing elsewhere. */
    async function figures(pattern: RegExp): Promise<string[]> {
      return [...(pattern.exec(await cli.ok(['metrics', ...ill])) ?? [])]
    }

    /** A pod of a component that is ready, or the one of this name. */
    async function readyPodOf(
      component: string,
      named?: string,
    ): Promise<Record<'name' | 'containerId', string>> {
      const isMeant = (one: HostObject) => named === undefined || one.metadata.name === named
      const { metadata, status } = await waitFor(
        async () => (await podsOf(component)).items.find((one) => isReadyPod(one) && isMeant(one)),
        { what: `a pod of ${component} that is ready`, timeoutMs: 60_000 },
      )
      const [container] = [Object(status).containerStatuses ?? []].flat()
      return {
        name: String(Object(metadata).name),
        containerId: String(Object(container).containerID),
      }
    }

    /** The container of a member of etcd. */
    async function containerOf(ordinal: number): Promise<string> {
      const { items } = await podsOf('etcd')
      const pod = items.find(({ metadata }) => metadata.name === `vplane-ill-etcd-${ordinal}`)
      const [container] = [Object(pod?.['status']).containerStatuses ?? []].flat()
      return String(Object(container).containerID)
    }

    async function podsOf(component: string): Promise<{ items: HostObject[] }> {
      const selector = `vplane.dev/component=${component},vplane.dev/name=ill`
      const flags = ['--namespace', namespace, '--selector', selector, '--output', 'json']
      return JSON.parse(await cli.host(['get', 'pods', ...flags]))
    }

    async function journal(): Promise<string> {
      const path = ['secret/vplane-ill-record', '-o=jsonpath={.data.record}']
      const text = await cli.host(['get', ...path, '--namespace', namespace])
      return Buffer.from(text, 'base64').toString()
    }

    /** Which volume a member has. */
    async function claimOf(ordinal: number): Promise<string> {
      const path = [`pvc/data-vplane-ill-etcd-${ordinal}`, '-o=jsonpath={.metadata.uid}']
      return cli.host(['get', ...path, '--namespace', namespace])
    }

    /** Gives a member an empty volume, as a disk that was lost and replaced. */
    async function wipe(ordinal: number, plane: string = 'ill'): Promise<void> {
      const claim = `pvc/data-vplane-${plane}-etcd-${ordinal}`
      await cli.host(['delete', claim, '--namespace', namespace, '--wait=false'])
      await end(ordinal, plane)
    }

    /** Ends a member, which comes back with its volume. */
    async function end(ordinal: number, plane: string = 'ill'): Promise<void> {
      const flags = ['--namespace', namespace, '--wait=false', '--grace-period=0', '--force']
      await cli.host(['delete', `pod/vplane-${plane}-etcd-${ordinal}`, ...flags])
    }

    async function found(): Promise<string> {
      return (await cli.run(['repair', ...ill, '--dry-run'])).stderr
    }

    /** Whether an empty volume is a loss from now on: any look at a plane that runs notes that. */
    async function isClosed(plane: string): Promise<boolean> {
      await cli.run(['describe', plane, '--namespace', namespace])
      const of = ['configmap', `vplane-${plane}-etcd`, '--namespace', namespace, '--output', 'json']
      const { data }: { data: Record<string, string> } = JSON.parse(await cli.host(['get', ...of]))
      return Object.values(data).every((file) => file.includes('"existing"'))
    }

    async function readyMembers(): Promise<number> {
      const { items } = await podsOf('etcd')
      return items.filter(isReadyPod).length
    }

    /** Which objects that the plane has taken it has no more. */
    async function lost(taken: readonly string[]): Promise<string[]> {
      const command = ['kubectl', 'get', 'configmaps', '--output', 'name']
      const stored = await cli.ok(['connect', ...ill, '--', ...command])
      const names = new Set(stored.split('\n').map((name) => name.replace('configmap/', '')))
      return taken.filter((name) => !names.has(name))
    }
  },
)
