import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plane } from '../../control-plane/plane/plane.ts'
import type { EtcdFigures } from '../../control-plane/status/plane-figures.ts'
import type { MeasuredComponent, PlaneMetrics } from '../../control-plane/driver/plane-metrics.ts'
import { VplaneError } from '../../shared/errors.ts'
import { localEtcd } from './components/local-etcd.ts'
import { runningComponents } from './components/running-components.ts'
import type { PlaneContext } from './components/start-context.ts'
import { currentRecord } from './store/current-record.ts'

/** Measures planes of this machine. */
export class LocalMetrics implements PlaneMetrics {
  readonly #context: PlaneContext

  constructor(context: PlaneContext) {
    this.#context = context
  }

  async etcd({ name }: Plane, signal: AbortSignal): Promise<EtcdFigures> {
    const { etcdFigures } = await import('../../etcd/status/etcd-figures.ts')
    const connection = this.#runs(name, 'etcd') ? await localEtcd(this.#context, name) : undefined
    return etcdFigures([{ instance: 'etcd', connection }], signal)
  }

  async ofComponent(
    plane: Plane,
    component: MeasuredComponent,
    signal: AbortSignal,
  ): Promise<string> {
    const { name, ports } = await currentRecord(this.#context.store, plane)
    if (component === 'etcd') {
      const { memberMetrics } = await import('../../etcd/status/member-metrics.ts')
      return memberMetrics(await localEtcd(this.#context, name), signal)
    }
    if (component !== 'kube-controller-manager' || !this.#runs(name, component)) {
      throw new VplaneError('FAILED', `${component} of "${name}" does not run`, {
        hints: [{ action: 'resume', plane: { name } }],
      })
    }
    const { createKubeClient } = await import('../../kube/client/client.ts')
    const { pki } = this.#context.store.folder(name)
    const server = `https://127.0.0.1:${ports.controllerManager}`
    const certificateAuthority = await readFile(join(pki, 'ca.crt'), 'utf8')
    await using client = createKubeClient({ server, certificateAuthority })
    return (await Array.fromAsync(client.stream('/metrics', { signal }))).join('')
  }

  #runs(name: string, component: 'etcd' | 'kube-controller-manager'): boolean {
    const { store, table } = this.#context
    return runningComponents(store.folder(name), table).has(component)
  }
}
