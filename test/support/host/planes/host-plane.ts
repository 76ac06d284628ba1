import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { isReadyPod } from '../../../../src/drivers/kubernetes/observed/observed-plane.ts'
import { waitFor } from '../../../../src/shared/wait.ts'
import { lostOf } from '../../data/config-map-writer.ts'
import type { HostCli } from '../host-cli.ts'

/** A plane in a host namespace that commands change or tests damage, and what is seen of it. */
export class HostPlane {
  readonly name: string
  /** How commands name it. */
  readonly at: readonly string[]
  protected readonly cli: HostCli
  protected readonly namespace: string

  constructor(cli: HostCli, namespace: string, name: string) {
    this.name = name
    this.cli = cli
    this.namespace = namespace
    this.at = [name, '--namespace', namespace]
  }

  async phase(): Promise<string> {
    const { status }: { status: string } = await this.cli.json(['describe', ...this.at, '--json'])
    return status
  }

  /** Returns when all of it is ready: a plane can be used before, and a probe of a busy machine may get no answer in time. */
  async untilReady(): Promise<void> {
    await waitFor(async () => (await this.phase()) === 'Ready', {
      what: `"${this.name}" to be ready`,
      timeoutMs: 120_000,
      intervalMs: 500,
    })
  }

  /** What `vplane metrics` says where it says something, and its parts; nothing elsewhere. */
  async figures(pattern: RegExp): Promise<string[]> {
    return [...(pattern.exec(await this.cli.ok(['metrics', ...this.at])) ?? [])]
  }

  /** A pod of a component that is ready, or the one of this name. */
  async readyPodOf(
    component: string,
    named?: string,
  ): Promise<Record<'name' | 'containerId', string>> {
    const isMeant = (one: KubeObject) => named === undefined || one.metadata.name === named
    const { metadata, status } = await waitFor(
      async () =>
        (await this.podsOf(component)).items.find((one) => isReadyPod(one) && isMeant(one)),
      { what: `a pod of ${component} that is ready`, timeoutMs: 120_000 },
    )
    const [container] = [Object(status).containerStatuses ?? []].flat()
    return {
      name: String(Object(metadata).name),
      containerId: String(Object(container).containerID),
    }
  }

  /** The pods of a component; its keeper is that of the namespace. */
  podsOf(component: string): Promise<{ items: KubeObject[] }> {
    const selector =
      component === 'keeper'
        ? 'vplane.dev/shared=keeper'
        : `vplane.dev/component=${component},vplane.dev/name=${this.name}`
    const flags = ['--namespace', this.namespace, '--selector', selector]
    return this.cli.hostJson(['get', 'pods', ...flags])
  }

  /** Which objects that the plane has taken it has no more. */
  lost(taken: readonly string[]): Promise<string[]> {
    return lostOf(this.cli, this.at, taken)
  }

  /** Runs kubectl in the plane. */
  async kubectl(args: readonly string[], input?: object): Promise<string> {
    const options = input === undefined ? {} : { input: JSON.stringify(input) }
    return this.cli.ok(['connect', ...this.at, '--', 'kubectl', ...args], options)
  }

  /** Objects of the host namespace that are not about to go. */
  async living(kind: string): Promise<KubeObject[]> {
    const found = await this.cli.hostJson(['get', kind, '--namespace', this.namespace])
    const items: KubeObject[] = found.items
    return items.filter(({ metadata }) => metadata['deletionTimestamp'] === undefined)
  }

  /** The uids of the pods that run, by their component, once all of it is ready. */
  async podIds(): Promise<Map<string, string[]>> {
    await this.untilReady()
    const ready = (await this.living('pods')).filter(isReadyPod).map(({ metadata }) => metadata)
    const idsOf = (component: string) =>
      ready
        .filter(({ labels }) => labels?.['vplane.dev/component'] === component)
        .map(({ uid = '' }) => uid)
    const components = ['etcd', 'kube-apiserver', 'kube-controller-manager']
    return new Map(components.map((component) => [component, idsOf(component)]))
  }

  async volumes(): Promise<string[]> {
    const flags = ['--namespace', this.namespace, '--output', 'name']
    const found = await this.cli.host(['get', 'pvc', ...flags])
    return found.split('\n').filter((name) => name !== '')
  }

  /** What vplane says the plane runs, what its API says, and the etcd that runs below. */
  async versions(): Promise<string[]> {
    const { version } = await this.cli.json(['describe', ...this.at, '--json'])
    const { serverVersion } = JSON.parse(await this.kubectl(['version', '--output', 'json']))
    const image = ['--output', 'jsonpath={.spec.containers[0].image}']
    const pod = [`pod/vplane-${this.name}-etcd-0`, '--namespace', this.namespace]
    const etcd = await this.cli.host(['get', ...pod, ...image])
    return [version, serverVersion.gitVersion, /etcd:(.+)-0$/.exec(etcd)?.[1] ?? etcd]
  }

  /** How many snapshots of the plane are kept. */
  async snapshots(): Promise<number> {
    const { items } = await this.cli.json(['snapshot', 'list', '--json'])
    return items.filter(({ plane }: { plane: string }) => plane === this.name).length
  }
}
