import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import type { RunningCommand } from '../../support/cli/cli.ts'
import {
  type FormerVersion,
  formerVersion,
  hasFormerVersion,
} from '../../support/cli/former-version.ts'
import { lostOf, startWriter } from '../../support/data/config-map-writer.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { HA_FLAGS } from '../../support/host/planes/ha-flags.ts'
import { deployment, serverContainer } from '../../support/host/planes/workloads.ts'
import { untilRoom } from '../../support/host/planes/until-room.ts'
import { busyMachine } from '../../support/machine/busy-machine.ts'

const TEN_A_SECOND = { perSecond: 10, patienceSeconds: 30 }
const ENOUGH = 50
const PATIENT = { timeout: 120_000, interval: 500 }

// Built from the history of the repository, which a copy of it may lack.
describe.skipIf(!hasFormerVersion())('living planes of a former version', () => {
  describeOnHost('on a host cluster', { shuffle: false }, () => {
    let turn: AsyncDisposable
    let former: FormerVersion
    let cli: HostCli

    beforeAll(async () => {
      turn = await busyMachine()
      former = await formerVersion()
      cli = await createHostCli()
      await untilRoom(cli)
      await cli.lab.loadPlaneImages('1.35')
    })
    afterAll(async () => {
      await cli[Symbol.asyncDispose]()
      await former[Symbol.asyncDispose]()
      await turn[Symbol.asyncDispose]()
    })

    test('a nodeless one with a keeper is upgraded, while its tunnel and its credential plugin serve on', async () => {
      const plane = await create('--set=idle=8h')
      await formerly(['connect', ...plane])
      await cli.kubectlOk(['create', 'configmap', 'kept'])
      const before = await keeperPods(plane)

      await upgrade(plane)

      expect(await cli.kubectlOk(['get', 'configmap', 'kept', '--output=name'])).toBe(
        'configmap/kept\n',
      )
      await expect.poll(() => keeperPods(plane), PATIENT).toHaveLength(1)
      expect(await keeperPods(plane)).not.toEqual(before)
      await expectWhole(plane)
      await cli.ok(['delete', ...plane, '--yes'])
    })

    test('one that runs pods is upgraded, and its pods run on', async () => {
      const plane = await create('--sync')
      await formerly(['connect', ...plane])
      const web = deployment('web', { containers: [serverContainer()], replicas: 1 })
      await cli.kubectlOk(['create', '--filename', '-'], { input: JSON.stringify(web) })
      await cli.kubectlOk(['rollout', 'status', 'deployment/web', '--timeout=120s'])
      const uids = () => uidsOf(plane, 'vplane.dev/synced-by=dev')
      const before = await uids()

      await upgrade(plane)

      expect(before).toHaveLength(1)
      expect(await uids()).toEqual(before)
      await cli.kubectlOk(['scale', 'deployment/web', '--replicas=2'])
      await cli.kubectlOk(['rollout', 'status', 'deployment/web', '--timeout=120s'])
      await expectWhole(plane)
      await cli.ok(['delete', ...plane, '--yes'])
    })

    test('one of the preset ha is upgraded without losing a request', async () => {
      const plane = await create(...HA_FLAGS)
      const wait = ['wait', 'pods', '--all', '--for=condition=Ready', '--timeout=300s']
      await cli.host([...wait, ...plane.slice(1)])
      const writer = await startWriter(cli, plane, TEN_A_SECOND)

      await upgrade(plane)

      const { failures, taken } = await writer.stop()
      expect(taken.length).toBeGreaterThan(ENOUGH)
      expect(failures).toEqual([])
      expect(await lostOf(cli, plane, taken)).toEqual([])
      await expectWhole(plane)
    })

    /** Makes a plane as the former version does, in a namespace of its own. */
    async function create(...flags: string[]): Promise<string[]> {
      const plane = ['dev', '--namespace', cli.newNamespace()]
      await formerly(['create', ...plane, '--version', '1.35', ...flags])
      return plane
    }

    async function formerly(args: readonly string[]): Promise<void> {
      const program = process.execPath
      const running: RunningCommand = cli.start([former.script, ...args], { program })
      const { code, stderr } = await running.ended
      expect(code, stderr).toBe(0)
    }

    async function upgrade(plane: readonly string[]): Promise<void> {
      await cli.ok(['upgrade', ...plane, '--version', '1.36', '--yes'])
      const { version }: PlaneDetails = await cli.json(['describe', ...plane, '--json'])
      expect(version).toMatch(/^1\.36\./)
    }

    /** Nothing is unfinished, and nothing is to be repaired. */
    async function expectWhole(plane: readonly string[]): Promise<void> {
      const status = async () => {
        const found: PlaneDetails = await cli.json(['describe', ...plane, '--json'])
        return found.status
      }
      await expect.poll(status, PATIENT).toBe('Ready')
      expect(await cli.json(['repair', ...plane, '--dry-run', '--json'])).toMatchObject({
        faults: [],
      })
    }

    function keeperPods(plane: readonly string[]): Promise<string[]> {
      return uidsOf(plane, 'vplane.dev/component=keeper')
    }

    async function uidsOf([, ...at]: readonly string[], selector: string): Promise<string[]> {
      const { items }: { items: Array<{ metadata: { uid: string } }> } = await cli.hostJson([
        'get',
        'pods',
        ...at,
        '--selector',
        selector,
      ])
      return items.map(({ metadata }) => metadata.uid)
    }
  })
})
