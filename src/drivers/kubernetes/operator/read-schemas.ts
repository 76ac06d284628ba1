import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fieldAt, recordsAt } from '../../../shared/json-fields.ts'
import { isWholeObject, type KubeObject } from '../../../shared/kube/kube-object.ts'
import { packageRoot } from '../../../shared/package-root.ts'

/** The objects in a folder of the package's schemas, and those of lists there. */
export function readSchemas(folder: 'crds' | 'policies'): KubeObject[] {
  const path = join(packageRoot(), 'schemas', folder)
  return readdirSync(path)
    .filter((file) => file.endsWith('.json'))
    .map((file): unknown => JSON.parse(readFileSync(join(path, file), 'utf8')))
    .flatMap((object) =>
      fieldAt(object, 'kind') === 'List' ? recordsAt(object, 'items') : [object],
    )
    .filter((object) => isWholeObject(object))
}
