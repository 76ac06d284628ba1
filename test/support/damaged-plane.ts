import { isReadyPod } from '../../src/drivers/kubernetes/status/look.ts'
import { HostPlane } from './host-plane.ts'

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

  async journal(): Promise<string> {
    const path = [`secret/vplane-${this.name}-record`, '-o=jsonpath={.data.record}']
    const text = await this.cli.host(['get', ...path, '--namespace', this.namespace])
    return Buffer.from(text, 'base64').toString()
  }

  /** Which volume a member has. */
  async claimOf(ordinal: number): Promise<string> {
    const path = [`pvc/data-vplane-${this.name}-etcd-${ordinal}`, '-o=jsonpath={.metadata.uid}']
    return this.cli.host(['get', ...path, '--namespace', this.namespace])
  }

  /** Gives a member an empty volume, as a disk that was lost and replaced. */
  async wipe(ordinal: number): Promise<void> {
    const claim = `pvc/data-vplane-${this.name}-etcd-${ordinal}`
    await this.cli.host(['delete', claim, '--namespace', this.namespace, '--wait=false'])
    await this.end(ordinal)
  }

  /** Ends a member, which comes back with its volume. */
  async end(ordinal: number): Promise<void> {
    const flags = ['--namespace', this.namespace, '--wait=false', '--grace-period=0', '--force']
    await this.cli.host(['delete', `pod/vplane-${this.name}-etcd-${ordinal}`, ...flags])
  }

  async found(): Promise<string> {
    return (await this.cli.run(['repair', ...this.at, '--dry-run'])).stderr
  }

  /** Whether an empty volume is a loss from now on: any look at a plane that runs notes that. */
  async isClosed(): Promise<boolean> {
    await this.cli.run(['describe', ...this.at])
    const of = ['configmap', `vplane-${this.name}-etcd`, ...this.at.slice(1), '--output', 'json']
    const { data }: { data: Record<string, string> } = JSON.parse(
      await this.cli.host(['get', ...of]),
    )
    return Object.values(data).every((file) => file.includes('"existing"'))
  }

  async readyMembers(): Promise<number> {
    const { items } = await this.podsOf('etcd')
    return items.filter(isReadyPod).length
  }
}
