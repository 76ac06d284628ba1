import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { startWriter } from '../../support/data/config-map-writer.ts'
import { cutOff } from '../../support/cli/cut-off.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { DamagedPlane } from '../../support/host/damage/damaged-plane.ts'
import { killContainer } from '../../support/host/damage/kill-container.ts'
import { fieldAt } from '../../../src/shared/json-fields.ts'

/** For how long nobody can write when a process crashes, on a machine that does much else too. */
const LONGEST_GAP_MS = 60_000

// In their order: all of them break one plane.
describeOnHost('repair of a plane with three members of etcd', { shuffle: false }, () => {
  let cli: HostCli
  let namespace: string
  let plane: DamagedPlane

  beforeAll(async () => {
    cli = await createHostCli()
    namespace = cli.newNamespace()
    plane = new DamagedPlane(cli, namespace, 'ill')
    await cli.ok(['create', ...plane.at, '--set', 'etcd.replicas=3'])
    // Until then an empty volume is no loss.
    await plane.untilClosed()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('finds nothing wrong with a plane that is well', async () => {
    // Its API is well when it was made; the others say so of themselves a moment later.
    await plane.untilReady()
    expect(await cli.ok(['repair', ...plane.at])).toBe('Nothing is wrong with "ill".\n')
  })

  // Seed 001: what such a topology is for.
  test('processes of etcd and kube-apiserver crash: the plane takes writes again by itself, and none is lost', async () => {
    const writer = await startWriter(cli, plane.at)

    for (const component of ['etcd', 'kube-apiserver']) {
      const { containerId } = await plane.readyPodOf(component)
      expect(killContainer(containerId)).toBeGreaterThan(0)
      const { length } = await writer.soFar()
      const more = async () => (await writer.soFar()).length - length
      await expect.poll(more, { timeout: 180_000, interval: 200 }).toBeGreaterThan(3)
    }

    const { longestGapMs, taken } = await writer.stop()
    expect(longestGapMs).toBeLessThan(LONGEST_GAP_MS)
    expect(await plane.lost(taken)).toEqual([])
    await plane.untilReady()
  })

  test('the network parts the member that leads from the others: they take writes, and it is one of them again', async () => {
    const leading = /^vplane_etcd_leader\{.*member="([^"]+)"\} 1$/m
    const leader = await waitFor(async () => (await plane.figures(leading))[1], {
      what: 'the member that leads',
      timeoutMs: 60_000,
    })
    const { items } = await plane.podsOf('etcd')
    const others = items.filter(({ metadata }) => metadata.name !== leader)
    const addresses = others.map(({ status }) => String(fieldAt(status, 'podIP')))
    const up = (value: 0 | 1) => new RegExp(`^vplane_etcd_member_up.*"${leader}"\\} ${value}$`, 'm')
    const writer = await startWriter(cli, plane.at)

    const { containerId } = await plane.readyPodOf('etcd', leader)
    const parted = cutOff(containerId, addresses)
    try {
      await expect.poll(() => plane.figures(up(0)), { timeout: 180_000 }).toHaveLength(1)
      const { length } = await writer.soFar()
      const more = async () => (await writer.soFar()).length - length
      await expect.poll(more, { timeout: 180_000, interval: 200 }).toBeGreaterThan(3)
    } finally {
      parted[Symbol.dispose]()
    }

    await expect.poll(() => plane.figures(up(1)), { timeout: 180_000 }).toHaveLength(1)
    const { taken } = await writer.stop()
    expect(await plane.lost(taken)).toEqual([])
    await plane.untilReady()
  })

  test('two of three volumes were wiped: nothing is done that was not chosen, then the survivor gives every write', async () => {
    const taken = await plane.loseMajority({ survivors: [0], wiped: [1, 2] })
    const offer =
      /lost its majority[^]*continue with the data of vplane-ill-etcd-0, up to revision \d+/
    await expect.poll(() => plane.found(), { timeout: 120_000, interval: 1000 }).toMatch(offer)

    const unchosen = await cli.run(['repair', ...plane.at, '--yes'])
    await cli.ok(['repair', ...plane.at, '--yes', '--from-survivor'])

    expect(unchosen.code).toBe(7)
    expect(unchosen.stderr).toMatch(/--wait[^]*--from-survivor[^]*vplane restore ill/)
    expect(await plane.lost(taken)).toEqual([])
    await expect.poll(() => plane.readyMembers(), { timeout: 180_000 }).toBe(3)
    await plane.untilWell()
  })
})
