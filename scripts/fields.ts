import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { knownKubernetesVersions } from '../src/control-plane/spec/kubernetes-version.ts'
import { packageRoot } from '../src/shared/package-root.ts'
import { goModuleFolder } from '../test/support/programs/go-module.ts'
import { fieldLeaves } from './fields/field-leaves.ts'

// Writes which fields the synced kinds have in each Kubernetes version, from the OpenAPI in its Go module.
for (const version of knownKubernetesVersions()) {
  const folder = await goModuleFolder(`k8s.io/kubernetes@v${version}`)
  const swagger = readFileSync(join(folder, 'api/openapi-spec/swagger.json'), 'utf8')
  const file = join(packageRoot(), 'test/syncer/fields/openapi', `${version}.json`)
  writeFileSync(file, `${JSON.stringify(fieldLeaves(JSON.parse(swagger)), undefined, 2)}\n`)
}
