import type { EtcdFigures } from '../../../control-plane/status/plane-figures.ts'
import { etcdFigures } from '../../../etcd/status/etcd-figures.ts'
import { localEtcd } from '../components/local-etcd.ts'
import { runningComponents } from '../components/running-components.ts'
import type { StartContext } from '../components/start-context.ts'

/** How etcd of a plane works, as it says. */
export async function measureEtcd(
  { store, table }: Pick<StartContext, 'store' | 'table'>,
  name: string,
  signal: AbortSignal,
): Promise<EtcdFigures> {
  const folder = store.folder(name)
  const connection = runningComponents(folder, table).has('etcd')
    ? await localEtcd(name, { folder, table })
    : undefined
  return etcdFigures([{ instance: 'etcd', connection }], signal)
}
