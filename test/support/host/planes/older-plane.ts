import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { recordName } from '../../../../src/drivers/kubernetes/context/object-names.ts'
import type { PlaneRecord } from '../../../../src/drivers/kubernetes/record/plane-record.ts'
import type { HostCli } from '../host-cli.ts'

/** Changes what is recorded of a plane in a host cluster, as an older vplane would have written it. */
export async function changeRecord(
  { host }: Pick<HostCli, 'host'>,
  { name, namespace }: { name: string; namespace: string },
  edit: (record: PlaneRecord) => PlaneRecord,
): Promise<void> {
  const secret = ['secret', recordName(name), '--namespace', namespace]
  const stored = await host(['get', ...secret, '--output', 'jsonpath={.data.record}'])
  const record: PlaneRecord = JSON.parse(Buffer.from(stored, 'base64').toString())
  const edited = Buffer.from(JSON.stringify(edit(record))).toString('base64')
  await host(['patch', ...secret, '--patch', JSON.stringify({ data: { record: edited } })])
}

/** Changes an object of a plane in a host cluster, as an older vplane would have applied it. */
export async function changeObject(
  { host }: Pick<HostCli, 'host'>,
  object: readonly string[],
  edit: (object: KubeObject) => KubeObject,
): Promise<void> {
  const stored: KubeObject = JSON.parse(await host(['get', ...object, '--output', 'json']))
  const { name, namespace } = stored.metadata
  const { status: _, metadata, ...rest } = edit(stored)
  const { annotations = {}, labels = {} } = metadata
  const applied = { ...rest, metadata: { name, namespace, labels, annotations } }
  await host(['apply', '--server-side', '--field-manager', 'vplane', '--filename', '-'], applied)
}
