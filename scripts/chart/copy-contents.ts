import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSchemas } from '../../src/drivers/kubernetes/operator/read-schemas.ts'
import { programFile } from '../../src/manifests/templates/load-templates.ts'
import { PROGRAMS } from './chart-files.ts'

/** Copies what was built, and what schemas/ has, to the Helm chart, which is complete then. */
export function copyContents(root: string): void {
  const chart = join(root, 'charts/vplane')
  const folderOf = (path: string) => {
    const folder = join(chart, path)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    return folder
  }
  const files = folderOf(`${PROGRAMS}/files`)
  const definitions = { items: [...readSchemas('crds'), ...readSchemas('policies')] }
  writeFileSync(join(files, 'definitions.json'), JSON.stringify(definitions))
  for (const program of ['gateway', 'keeper', 'operator', 'syncer'] as const) {
    const file = programFile(program)
    copyFileSync(join(root, 'dist', file), join(files, file))
  }
}
