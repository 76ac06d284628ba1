import type { EtcdFigures } from '../../../control-plane/plane-figures.ts'
import { etcdFigures } from '../../../etcd/etcd-figures.ts'
import { localEtcd } from '../data/local-etcd.ts'
import { runningComponents } from '../start/running-components.ts'
import type { StartContext } from '../start/start-context.ts'

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
