import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SpecSchema } from '../../control-plane/explain/spec-schema.ts'
import { packageRoot } from '../../shared/package-root.ts'

/** The JSON schema of a spec, from the file that is generated from the schema in the code: reading it takes less time. */
export function readSpecSchema(): SpecSchema {
  return JSON.parse(readFileSync(join(packageRoot(), 'schemas', 'control-plane-spec.json'), 'utf8'))
}
