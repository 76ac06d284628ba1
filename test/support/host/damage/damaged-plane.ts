import { isReadyPod } from '../../../../src/drivers/kubernetes/observed/observed-plane.ts'
import { waitFor } from '../../../../src/shared/wait.ts'
import { startWriter } from '../../data/config-map-writer.ts'
import { HostPlane } from '../planes/host-plane.ts'
import { killContainer } from './kill-container.ts'

/** A plane in a host namespace whose members of etcd tests damage. */
export class DamagedPlane extends HostPlane {
  /** The container of a member of etcd. */
  async containerOf(ordinal: number): Promise<string> {
    const { items } = await this.podsOf('etcd')
    const pod = items.find(
      ({ metadata }) => metadata.name === `vplane-${this.name}-etcd-${ordinal}`,
    )
    const [container] = [Object(pod?.['status']).containerStatuses ?? []].flat()
    return String(Object(container).containerID)
  }

  /** Which volume a member has. */
  async claimOf(ordinal: number): Promise<string> {
    const path = [`pvc/data-vplane-${this.name}-etcd-${ordinal}`, '-o=jsonpath={.metadata.uid}']
    return this.cli.host(['get', ...path, '--namespace', this.namespace])
  }

  /** Keeps the claim of a member until it is released: a replacement of the member waits for its end. */
  async holdClaim(ordinal: number) {
    const claim = [`pvc/data-vplane-${this.name}-etcd-${ordinal}`, '--namespace', this.namespace]
    const patch = async (finalizers: string[] | null) => {
      const body = JSON.stringify({ metadata: { finalizers } })
      await this.cli.host(['patch', ...claim, '--type=merge', '--patch', body])
    }
    await patch(['kubernetes.io/pvc-protection', 'vplane.test/held'])
    const end = '-o=jsonpath={.metadata.deletionTimestamp}'
    return {
      isEnding: async () => (await this.cli.host(['get', ...claim, end])) !== '',
      release: () => patch(null),
    }
  }

  /** Gives a member an empty volume, as a disk that was lost and replaced. */
  async wipe(ordinal: number): Promise<void> {
    const claim = `pvc/data-vplane-${this.name}-etcd-${ordinal}`
    await this.cli.host(['delete', claim, '--namespace', this.namespace, '--wait=false'])
    await this.end(ordinal)
  }

  /** Ends a member at once, which comes back with its volume. */
  async end(ordinal: number): Promise<void> {
    const container = await this.containerOf(ordinal)
    const flags = ['--namespace', this.namespace, '--wait=false', '--grace-period=0', '--force']
    await this.cli.host(['delete', `pod/vplane-${this.name}-etcd-${ordinal}`, ...flags])
    // Told to end, it would take writes for seconds while it hands over the lead.
    killContainer(container)
  }

  /**
   * Wipes so many members that etcd has no majority, while a client writes, and restarts the survivors, which have
   * every write that was acknowledged.
   *
   * @returns the names of the ConfigMaps whose creation was acknowledged
   */
  async loseMajority({ survivors, wiped }: { survivors: number[]; wiped: number[] }) {
    const writer = await startWriter(this.cli, this.at)
    // From now on nothing is acknowledged that a survivor does not have.
    await Promise.all(wiped.slice(0, -1).map((ordinal) => this.wipe(ordinal)))
    const { length: before } = await writer.soFar()
    await waitFor(async () => (await writer.soFar()).length > before + 10, {
      what: 'more writes',
      timeoutMs: 180_000,
      intervalMs: 500,
    })
    await Promise.all([
      ...survivors.map((ordinal) => this.end(ordinal)),
      ...wiped.slice(-1).map((ordinal) => this.wipe(ordinal)),
    ])
    const { taken } = await writer.stop()
    return taken
  }

  /** The end of what a member of etcd that has ended said. */
  async lastWords(ordinal: number): Promise<string> {
    const pod = [`vplane-${this.name}-etcd-${ordinal}`, '--namespace', this.namespace]
    const read = this.cli.host(['logs', ...pod, '--previous', '--tail=20'])
    return read.catch((error: unknown) => String(error))
  }

  async found(): Promise<string> {
    const { stderr, stdout } = await this.cli.run(['repair', ...this.at, '--dry-run'])
    return stdout + stderr
  }

  /** Returns when an empty volume is a loss: any look at a plane that runs notes that. */
  async untilClosed(): Promise<void> {
    const of = ['configmap', `vplane-${this.name}-etcd`, '--namespace', this.namespace]
    await waitFor(
      async () => {
        await this.cli.run(['describe', ...this.at])
        const { data }: { data: Record<string, string> } = await this.cli.hostJson(['get', ...of])
        return Object.values(data).every((file) => file.includes('"existing"'))
      },
      { what: 'the note that etcd has data', timeoutMs: 120_000, intervalMs: 1000 },
    )
  }

  /** Returns when `vplane repair` finds nothing: what a busy machine starts again may need time after a command has ended. */
  async untilWell(): Promise<void> {
    const well = `Nothing is wrong with "${this.name}".\n`
    await waitFor(async () => (await this.cli.run(['repair', ...this.at])).stdout === well, {
      what: `"${this.name}" to be well`,
      timeoutMs: 120_000,
      intervalMs: 1000,
    })
  }

  async readyMembers(): Promise<number> {
    const { items } = await this.podsOf('etcd')
    return items.filter(isReadyPod).length
  }
}
