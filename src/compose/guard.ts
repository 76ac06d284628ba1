export { createGuard, type Guard } from '../drivers/local/guard/create-guard.ts'
