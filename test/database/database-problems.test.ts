import { expect, test } from 'vitest'
import { hintTexts } from '../../src/cli/catalog/hint-text.ts'
import { missingData } from '../../src/database/database-problems.ts'
import { newPlaneDatabase } from '../../src/database/dialect/plane-database.ts'

test('names the restore of a snapshot for lost data', () => {
  const facts = newPlaneDatabase('dev', { kind: 'postgres', host: 'db.example.com' })
  const hintsFor = (namespace?: string) =>
    hintTexts(missingData({ name: 'dev', ...(namespace && { namespace }) }, facts).hints).join()

  expect(hintsFor()).toContain('vplane restore dev --from SNAPSHOT --force')
  expect(hintsFor('team-a')).toContain(
    'vplane restore dev --namespace team-a --from SNAPSHOT --force',
  )
})
