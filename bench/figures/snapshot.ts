import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { resolveSpec } from '../../src/control-plane/spec/resolve-spec.ts'
import { planeFolder } from '../../src/drivers/local/store/plane-folder.ts'
import { readPlaneRecord } from '../../src/drivers/local/store/plane-record.ts'
import { ETCD_CLIENT_FILES } from '../../src/etcd/etcd-connection.ts'
import { fillConfigMaps } from '../../test/support/data/fill-config-maps.ts'
import { alternate } from '../alternate.ts'
import { ratio } from '../compare.ts'
import { ensureEtcdctl } from '../etcdctl.ts'
import type { Figure } from '../figure.ts'
import { accessIn } from '../static-kubeconfig.ts'
import type { Workspace } from '../workspace.ts'

const NAME = 'snapshot'
/** 500 MB, in objects that are as large as they may be. */
const FILLING = { count: 500, bytes: 1_000_000, atOnce: 4 }

/** How soon a snapshot of much data is on the disk, beside etcd's own client. */
export const snapshotFigure: Figure = {
  name: 'snapshot',
  async measure({ rounds, say, workspace }) {
    const { etcdVersion } = resolveSpec({})
    const etcdctl = await ensureEtcdctl(etcdVersion, { say, signal: workspace.signal })
    await workspace.vplane('create', NAME, '--no-connect')
    const { stdout } = await workspace.vplane('kubeconfig', NAME, '--embed-credentials')
    await fillConfigMaps(accessIn(stdout), FILLING)
    const file = join(workspace.folder, 'snapshot.db')
    const flags = await connectionFlags(workspace)
    const sizes: number[] = []
    const save = async (command: readonly string[]) => {
      const { ms } = await workspace.run(command)
      sizes.push(statSync(file).size)
      rmSync(file)
      return ms
    }
    const measures = {
      vplane: () => save(['vplane', 'snapshot', 'create', NAME, '--output', file]),
      etcdctl: () => save([etcdctl, 'snapshot', 'save', file, ...flags]),
    }
    // What etcd reads from the disk for the first time the others find in memory.
    await measures.etcdctl()
    const samples = await alternate(rounds, measures)
    await workspace.vplane('delete', NAME, '--yes')
    return [
      ratio({
        name: 'snapshot',
        what: '`vplane snapshot create` of a plane with 500 MB of data',
        unit: 'ms',
        of: 'vplane',
        to: { samples: 'etcdctl', what: '`etcdctl snapshot save`' },
        target: 2,
        samples,
        notes: [`${(Math.max(...sizes) / 1e6).toFixed(0)} MB`],
      }),
    ]
  },
}

/** How etcdctl gets to etcd of the plane. */
async function connectionFlags({ planes }: Workspace): Promise<string[]> {
  const folder = planeFolder(join(planes, NAME))
  const record = readPlaneRecord(folder.record)
  const pki = (name: keyof typeof ETCD_CLIENT_FILES) => join(folder.pki, ETCD_CLIENT_FILES[name])
  return [
    `--endpoints=https://127.0.0.1:${record?.ports.etcdClient}`,
    `--cacert=${pki('certificateAuthority')}`,
    `--cert=${pki('certificate')}`,
    `--key=${pki('key')}`,
  ]
}
