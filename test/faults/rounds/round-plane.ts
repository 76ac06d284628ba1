import { join } from 'node:path'
import { expect } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import { type ConfigMapWriter, lostOf, startWriter } from '../../support/data/config-map-writer.ts'
import type { HostCli } from '../../support/host/host-cli.ts'
import type { Follower, Operation } from './plan-rounds.ts'
import { createSyncedWorkload, type SyncedWorkload } from './synced-workload.ts'

/** It is looked for by its name alone, as it moves about. */
export const PLANE = 'rounds'
const SURE = [PLANE, '--yes']
const COMPLETE = [...SURE, '--stage', 'complete']
/** What bundles are sealed with. */
export const PASSPHRASE = { VPLANE_PASSPHRASE: 'correct horse' }

/** A command of an operation. */
export interface Command {
  words: readonly string[]
  /** With what it ends when it is run again after all was done. @default 0 */
  doneCode?: number
}

/** The plane of all rounds: what it is, who writes into it, and what was acknowledged. */
export class RoundPlane {
  readonly #cli: HostCli
  readonly #version: string
  #namespaces: [string, string]
  #members = 1
  #others = 1
  #isUpgraded = false
  #writer: ConfigMapWriter | undefined
  /** What the plane has taken from writers that have ended. */
  #taken: string[] = []
  /** What it runs, when it runs pods. */
  #workload: SyncedWorkload | undefined

  constructor(cli: HostCli, version: string) {
    this.#cli = cli
    this.#version = version
    this.#namespaces = [cli.newNamespace(), cli.newNamespace()]
  }

  get isSynced(): boolean {
    return this.#workload !== undefined
  }

  /** Makes the plane, in place of the one before. */
  async make(isSynced: boolean, replacesFormer = true): Promise<void> {
    if (replacesFormer) {
      await this.stopWriter()
      await this.#cli.ok(['delete', ...SURE])
    }
    this.#taken = []
    this.#members = 1
    this.#others = 1
    this.#isUpgraded = false
    const place = ['--namespace', this.#namespaces[0], '--connect']
    const spec = ['--version', this.#version, '--set', 'encryption.secrets=true']
    const more = isSynced ? ['--sync', '--renew'] : []
    await this.#cli.ok(['create', PLANE, ...place, ...spec, ...more])
    this.#workload = isSynced ? await createSyncedWorkload(this.#cli, PLANE) : undefined
    const secret = ['create', 'secret', 'generic', 'kept', '--from-literal=a=b']
    await this.#cli.ok(['connect', PLANE, '--', 'kubectl', ...secret])
    this.#writer = await startWriter(this.#cli)
  }

  async stopWriter(): Promise<void> {
    this.#taken.push(...((await this.#writer?.stop())?.taken ?? []))
    this.#writer = undefined
  }

  /** Makes the plane as an operation needs it, and says which commands the operation is. */
  readonly prepare: Record<Operation, (round: number) => Promise<Command[]> | Command[]> = {
    'a change': (round) => [
      of('set', ...SURE, `apiServer.extraArgs.max-requests-inflight=${400 + round}`),
    ],
    'a scaling of etcd': () => {
      this.#members = this.#members === 1 ? 3 : 1
      return [of('scale', ...SURE, '--etcd', String(this.#members))]
    },
    'a scaling of the others': () => {
      this.#others = 3 - this.#others
      const count = String(this.#others)
      return [of('scale', ...SURE, '--api-server', count, '--controller-manager', count)]
    },
    'an upgrade': async () => {
      if (this.#isUpgraded) {
        await this.make(this.isSynced)
      }
      this.#isUpgraded = true
      return [of('upgrade', ...SURE, '--version', '1.36')]
    },
    'a pause': () => [of('pause', PLANE, '--no-snapshot'), of('resume', PLANE)],
    'a rotation of leaves': () => [of('certs', 'rotate', ...SURE)],
    'a rotation of the CAs': () => [of('certs', 'rotate-ca', ...COMPLETE)],
    'a rotation of the token key': () => [of('certs', 'rotate-service-account-key', ...COMPLETE)],
    'a rotation of the encryption key': () => [of('certs', 'rotate-encryption-key', ...COMPLETE)],
    'a snapshot': () => [of('snapshot', 'create', PLANE)],
    'a restore': async (round) => {
      // What is written after the snapshot is lost, as it is to be.
      await this.stopWriter()
      const file = join(this.#cli.root, `${round}.db`)
      return [
        of('snapshot', 'create', PLANE, '--output', file, '--force'),
        of('restore', ...SURE, '--force', '--from', file),
      ]
    },
    'a restore of a bundle': async (round) => {
      await this.stopWriter()
      const file = join(this.#cli.root, `${round}.bundle`)
      const place = ['--namespace', this.#namespaces[0], '--yes', ...this.#withoutVolumes]
      return [
        of('snapshot', 'create', PLANE, '--bundle', '--output', file, '--force'),
        of('delete', ...SURE, '--ignore-not-found'),
        { words: ['restore', '--from', file, ...place], doneCode: 4 },
        of('connect', PLANE),
      ]
    },
    'a move': () => {
      this.#namespaces = [this.#namespaces[1], this.#namespaces[0]]
      return [of(...this.#moveTo(this.#namespaces[0]))]
    },
    'the end of a move': async () => {
      const moving = this.#cli.start(this.#moveTo(this.#namespaces[1]))
      await waitFor(async () => (await this.#phases()).includes('Fenced'), {
        what: 'the fence',
        timeoutMs: 120_000,
        intervalMs: 200,
      })
      await moving.kill()
      return [{ words: ['move', ...SURE, '--abort'], doneCode: 3 }]
    },
    'a repair': async (round) => {
      await this.#threeMembers()
      await this.#wipe(round % 3)
      await this.#untilFound('its data is lost')
      return [of('repair', ...SURE)]
    },
    'a repair from a survivor': async (round) => {
      // What a majority without the survivor has taken last would be lost, as it is to be.
      await this.stopWriter()
      await this.#threeMembers()
      await Promise.all([this.#wipe(round % 3), this.#wipe((round + 1) % 3)])
      await this.#untilFound('lost its majority')
      return [of('repair', ...SURE, '--from-survivor')]
    },
  }

  /**
   * Does something else to a plane whose operation was killed: it succeeds, or is refused with what to do. Nothing is told
   * of the plane while a restore has deleted it.
   */
  async follow(follower: Follower, round: number): Promise<void> {
    const flag = `controllerManager.extraArgs.concurrent-gc-syncs=${10 + round}`
    const other = `controllerManager.extraArgs.concurrent-namespace-syncs=${10 + round}`
    const commands: Record<Follower, Command[][]> = {
      'another change': [[of('set', ...SURE, flag)]],
      'another pause': [[of('pause', PLANE, '--no-snapshot'), of('resume', PLANE)]],
      'another repair': [[of('repair', ...SURE)]],
      'another rotation': [[of('certs', 'rotate', ...SURE)]],
      'another scaling': [[of('scale', ...SURE, '--controller-manager', String(this.#others))]],
      'two changes at once': [[of('set', ...SURE, flag)], [of('set', ...SURE, other)]],
    }
    const run = async (sequence: readonly Command[]) => {
      for (const { words } of sequence) {
        const { code, stderr } = await this.#cli.run(words)
        const isExplained = code === 0 || code === 3 || stderr.includes('hint: ')
        expect(isExplained, `${words.join(' ')} ended with ${code}:\n${stderr}`).toBe(true)
        expect(stderr).not.toContain('this is a bug')
      }
    }
    await Promise.all(commands[follower].map(run))
  }

  /** Waits until the plane takes writes, and counts those of before that are gone; nothing may be left to repair either. */
  async check(operation: Operation): Promise<{ acknowledged: number; lost: number }> {
    const writer = (this.#writer ??= await startWriter(this.#cli))
    const { length } = await writer.soFar()
    await waitFor(async () => (await writer.soFar()).length > length, {
      what: 'another write that is taken',
      timeoutMs: 120_000,
    })
    const all = [...this.#taken, ...(await writer.soFar())]
    const lost = await lostOf(this.#cli, [PLANE], all)
    const secret = ['kubectl', 'get', 'secret', 'kept', '--output', 'jsonpath={.data.a}']
    expect(await this.#cli.ok(['connect', PLANE, '--', ...secret])).toBe('Yg==')
    if (operation === 'a move' || operation === 'a restore of a bundle') {
      await this.#workload?.bindAgain()
    }
    const faults = async () => (await this.#workload?.faults(this.#namespaces[0])) ?? []
    await expect.poll(faults, { timeout: 180_000, interval: 1000 }).toEqual([])
    await this.#untilWhole()
    return { acknowledged: all.length, lost: lost.length }
  }

  /** What lies on volumes of pods stays where it was. */
  get #withoutVolumes(): string[] {
    return this.isSynced ? ['--without-volumes'] : []
  }

  #moveTo(namespace: string): string[] {
    return ['move', ...SURE, '--to-namespace', namespace, ...this.#withoutVolumes]
  }

  async #phases(): Promise<string[]> {
    const planes: Array<{ status: string }> = (await this.#cli.json(['list', '--json'])).items
    return planes.map(({ status }) => status)
  }

  /** Three members of etcd, of which each one that comes back empty has lost something. */
  async #threeMembers(): Promise<void> {
    if (this.#members !== 3) {
      await this.#cli.ok(['scale', ...SURE, '--etcd', '3'])
      this.#members = 3
    }
    const flags = ['--namespace', this.#namespaces[0], '--output', 'json']
    const isClosed = async () => {
      // Any look at a plane that runs notes it.
      await this.#cli.run(['describe', PLANE])
      const map = await this.#cli.host(['get', 'configmap', `vplane-${PLANE}-etcd`, ...flags])
      const { data }: { data: Record<string, string> } = JSON.parse(map)
      return Object.values(data).every((file) => file.includes('"existing"'))
    }
    await expect.poll(isClosed, { timeout: 120_000, interval: 1000 }).toBe(true)
    await this.#untilWhole()
  }

  /** Waits until nothing is left to repair. */
  async #untilWhole(): Promise<void> {
    const nothing = `Nothing is wrong with "${PLANE}".\n`
    const found = async () => (await this.#cli.run(['repair', PLANE, '--dry-run'])).stdout
    await expect.poll(found, { timeout: 120_000, interval: 1000 }).toBe(nothing)
  }

  /** Gives a member an empty volume, as a disk that was lost and replaced. */
  async #wipe(ordinal: number): Promise<void> {
    const at = ['--namespace', this.#namespaces[0], '--wait=false']
    await this.#cli.host(['delete', `pvc/data-vplane-${PLANE}-etcd-${ordinal}`, ...at])
    const now = ['--grace-period=0', '--force']
    await this.#cli.host(['delete', `pod/vplane-${PLANE}-etcd-${ordinal}`, ...at, ...now])
  }

  async #untilFound(text: string): Promise<void> {
    const found = async () => {
      const { stderr, stdout } = await this.#cli.run(['repair', PLANE, '--dry-run'])
      return stdout + stderr
    }
    await expect.poll(found, { timeout: 120_000, interval: 1000 }).toContain(text)
  }
}

function of(...words: string[]): Command {
  return { words }
}
