import { execa } from 'execa'
import {
  restoreArguments,
  type RestoreArgumentsOptions,
} from '../../../control-plane/components/arguments/restore-arguments.ts'
import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { localLayout } from '../components/local-layout.ts'
import type { StartContext } from '../components/start-context.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

interface EtcdutlOptions extends Pick<RestoreArgumentsOptions, 'bump' | 'dataFolder' | 'file'> {
  /** The file is the database of a stopped etcd, without a checksum. @default false */
  isDatabase?: boolean
  operation: HeldOperation
}

/** Creates the data of a plane's etcd from a file. @throws {VplaneError} `FAILED` when it cannot be restored. */
export async function runEtcdutl(
  context: StartContext,
  record: PlaneRecord,
  { bump, dataFolder, file, isDatabase = false, operation }: EtcdutlOptions,
): Promise<void> {
  const etcdutl = await context.findEtcdutl(record, operation)
  const { etcd } = localLayout(record, context.store.folder(record.name))
  const args = restoreArguments({ etcd, file, bump, dataFolder })
  const result = await execa(etcdutl, [...args, ...(isDatabase ? ['--skip-hash-check'] : [])], {
    env: { PATH: context.environment['PATH'] },
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    cancelSignal: operation.signal,
  })
  operation.signal.throwIfAborted()
  if (result.failed) {
    const [message = messageOf(result)] = result.stderr.trim().split('\n').slice(-1)
    const text = `etcdutl cannot restore "${file}": ${message}`
    throw new VplaneError('FAILED', text, {
      hints: [
        { action: 'examine-machine' },
        { purpose: 'to choose another snapshot', action: 'list-snapshots' },
      ],
      cause: result,
    })
  }
}
