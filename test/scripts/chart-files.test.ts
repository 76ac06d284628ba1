import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chartFiles } from '../../scripts/chart/chart-files.ts'
import { packageRoot } from '../../src/shared/package-root.ts'

test.for([...chartFiles()])(
  '%s of the Helm chart is what the code says; npm run chart writes it again',
  ([name, text]) => {
    expect(readFileSync(join(packageRoot(), 'charts/vplane', name), 'utf8')).toBe(text)
  },
)
