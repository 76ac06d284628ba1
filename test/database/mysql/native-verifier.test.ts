import { expect, test } from 'vitest'
import { nativeVerifier } from '../../../src/database/mysql/native-verifier.ts'

// As the documentation of PASSWORD() has it.
test('is what the server stores of a password', () => {
  expect(nativeVerifier('notagoodpwd')).toBe('*3A70EE9FC6594F88CE9E959CD51C5A1C002DC937')
})
