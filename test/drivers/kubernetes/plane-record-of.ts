import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { PlaneRecord } from '../../../src/drivers/kubernetes/record/plane-record.ts'

/** A record of a plane that was made an hour ago and runs; `fields` replaces some of it. */
export function planeRecordOf(name: string, fields: Partial<PlaneRecord> = {}): PlaneRecord {
  const userSpec = fields.userSpec ?? {}
  return {
    formatVersion: 1,
    writtenBy: '0.1.0',
    id: `id-of-${name}`,
    name,
    createdAt: '2026-06-01T11:00:00.000Z',
    desired: 'running',
    hasKeys: true,
    isComplete: true,
    hasData: true,
    createdNamespace: false,
    userSpec,
    spec: resolveSpec(userSpec, 'kubernetes'),
    ...fields,
  }
}
