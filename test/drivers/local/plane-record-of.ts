import { randomUUID } from 'node:crypto'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { PlaneRecord } from '../../../src/drivers/local/store/plane-record.ts'

/** The record of a plane of which nothing was created yet, with some `fields` replaced. */
export function planeRecordOf(name: string, fields: Partial<PlaneRecord> = {}): PlaneRecord {
  return {
    formatVersion: 1,
    writtenBy: '0.1.0',
    id: randomUUID(),
    name,
    createdAt: '2026-01-02T03:04:05.000Z',
    desired: 'running',
    hasData: false,
    isBootstrapped: false,
    userSpec: {},
    spec: resolveSpec({}),
    ports: { etcdClient: 20_001, etcdPeer: 20_002, apiServer: 20_003, controllerManager: 20_004 },
    bootId: 'this boot',
    ...fields,
  }
}
