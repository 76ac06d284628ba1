import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  MemoryHostApi,
  type MemoryHostHooks,
  type MemoryRequest,
  refusal,
} from '../../../support/api/memory-host-api.ts'
import type { Recording } from './recording.ts'

/** A host that has what was recorded of a plane, see `diagnose.lab.ts`, and takes no pods. */
export function replay(
  name: string,
  { onRequest = refusePods }: Pick<MemoryHostHooks, 'onRequest'> = {},
): MemoryHostApi {
  const text = readFileSync(join(import.meta.dirname, 'fixtures', `${name}.json`), 'utf8')
  const { objects, texts }: Recording = JSON.parse(text)
  const host = new MemoryHostApi({ onRequest })
  for (const [path, object] of Object.entries(objects)) {
    host.objects.set(path, object)
  }
  for (const [path, log] of Object.entries(texts)) {
    host.texts.set(path, log)
  }
  return host
}

function refusePods({ path, verb }: MemoryRequest): void {
  if (verb === 'create' && path.endsWith('/pods')) {
    throw refusal(403, 'exceeded quota')
  }
}
