import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { SYNCED_BY_LABEL } from '../../../src/manifests/object-names.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import {
  type FormerVersion,
  formerVersion,
  hasFormerVersion,
} from '../../support/cli/former-version.ts'
import { startWriter } from '../../support/data/config-map-writer.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { HA_FLAGS } from '../../support/host/planes/ha-flags.ts'
import { deployment, serverContainer } from '../../support/host/planes/workloads.ts'
import { HostPlane } from '../../support/host/planes/host-plane.ts'
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
      await formerly(['connect', ...plane.at])
      await cli.kubectlOk(['create', 'configmap', 'kept'])
      await upgrade(plane)

      expect(await cli.kubectlOk(['get', 'configmap', 'kept', '--output=name'])).toBe(
        'configmap/kept\n',
      )
      await expect.poll(() => keeperPods(plane), PATIENT).toHaveLength(1)
      // A former version may have made one for the plane alone.
      const names = (await plane.living('deployments')).map(({ metadata }) => metadata.name)
      expect(names.filter((name) => name?.endsWith('-keeper'))).toEqual(['vplane-keeper'])
      await expectWhole(plane)
      await cli.ok(['delete', ...plane.at, '--yes'])
    })

    test('one that runs pods is upgraded, and its pods run on', async () => {
      const plane = await create('--sync')
      await formerly(['connect', ...plane.at])
      const web = deployment('web', { containers: [serverContainer()], replicas: 1 })
      await cli.kubectlOk(['create', '--filename', '-'], { input: JSON.stringify(web) })
      await cli.kubectlOk(['rollout', 'status', 'deployment/web', '--timeout=120s'])
      const synced = async () => {
        const pods = await plane.living('pods')
        return pods
          .filter(({ metadata }) => metadata.labels?.[SYNCED_BY_LABEL] === plane.name)
          .map(({ metadata }) => metadata.uid)
      }
      const before = await synced()

      await upgrade(plane)

      expect(before).toHaveLength(1)
      expect(await synced()).toEqual(before)
      await cli.kubectlOk(['scale', 'deployment/web', '--replicas=2'])
      await cli.kubectlOk(['rollout', 'status', 'deployment/web', '--timeout=120s'])
      await expectWhole(plane)
      await cli.ok(['delete', ...plane.at, '--yes'])
    })

    test('one of the preset ha is upgraded without losing a request', async () => {
      const plane = await create(...HA_FLAGS)
      const wait = ['wait', 'pods', '--all', '--for=condition=Ready', '--timeout=300s']
      await cli.host([...wait, ...plane.at.slice(1)])
      const writer = await startWriter(cli, plane.at, TEN_A_SECOND)

      await upgrade(plane)

      const { failures, taken } = await writer.stop()
      expect(taken.length).toBeGreaterThan(ENOUGH)
      expect(failures).toEqual([])
      expect(await plane.lost(taken)).toEqual([])
      await expectWhole(plane)
    })

    /** Makes a plane as the former version does, in a namespace of its own. */
    async function create(...flags: string[]): Promise<HostPlane> {
      const plane = new HostPlane(cli, cli.newNamespace(), 'dev')
      await formerly(['create', ...plane.at, '--version', '1.35', ...flags])
      return plane
    }

    async function formerly(args: readonly string[]): Promise<void> {
      const program = process.execPath
      const { code, stderr } = await cli.start([former.script, ...args], { program }).ended
      expect(code, stderr).toBe(0)
    }

    async function upgrade(plane: HostPlane): Promise<void> {
      await cli.ok(['upgrade', ...plane.at, '--version', '1.36', '--yes'])
      const { version }: PlaneDetails = await cli.json(['describe', ...plane.at, '--json'])
      expect(version).toMatch(/^1\.36\./)
    }

    /** Nothing is unfinished, and nothing is to be repaired. */
    async function expectWhole(plane: HostPlane): Promise<void> {
      await plane.untilReady()
      expect(await cli.json(['repair', ...plane.at, '--dry-run', '--json'])).toMatchObject({
        faults: [],
      })
    }

    async function keeperPods(plane: HostPlane): Promise<Array<string | undefined>> {
      const { items } = await plane.podsOf('keeper')
      return items.map(({ metadata }) => metadata.uid)
    }
  })
})
