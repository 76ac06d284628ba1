import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/shared/package-root.ts'
import { parseYaml } from '../../src/shared/yaml/yaml.ts'

const WORKFLOW = '.github/workflows/nightly.yml'

test('a workflow runs every soak test', () => {
  const { scripts } = JSON.parse(textOf('package.json'))
  const names = Object.keys(scripts).filter((name) => name.startsWith('soak:'))

  expect(parseYaml(textOf(WORKFLOW), WORKFLOW)).toMatchObject({
    jobs: { soak: { strategy: { matrix: { name: names.map((name) => name.slice(5)) } } } },
  })
})

function textOf(path: string): string {
  return readFileSync(join(packageRoot(), path), 'utf8')
}
