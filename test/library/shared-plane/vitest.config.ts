import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['*.spec.ts'],
    // As a project says it that has installed the package: globalSetup: ['vplane/vitest'].
    globalSetup: [fileURLToPath(new URL('../../../src/library/vitest.ts', import.meta.url))],
    disableConsoleIntercept: true,
    testTimeout: 20_000,
  },
})
