export { freePort, untilListening } from './listening';
export { startNatsServer, type NatsServer, type NatsServerOptions } from './nats-server';
export { serviceOf, serviceProcesses, settingsOfProcess, type ProcessCounts } from './service-plan';
