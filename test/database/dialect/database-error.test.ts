import { expect, test } from 'vitest'
import { databaseError } from '../../../src/database/dialect/database-error.ts'
import { newPlaneDatabase } from '../../../src/database/dialect/plane-database.ts'

test('shows the beginning of what a server says, in one line', () => {
  const facts = newPlaneDatabase('dev', { kind: 'postgres', host: 'db.example.com' })
  const text = `permission\ndenied ${'!'.repeat(10_000)}`

  const { message } = databaseError(facts, new Error(text), { isAnswer: true })

  expect(message).toMatch(/^PostgreSQL at db\.example\.com:5432 refuses: permission denied !+$/)
  expect(message.length).toBeLessThan(600)
})
