export { freePort, untilListening } from './listening';
export { findNatsServer, startNatsServer, type NatsServer, type NatsServerOptions } from './nats-server';
export { serviceOf, serviceProcesses, settingsOfProcess, type ProcessCounts } from './service-plan';
