-- The schema registry keeps its schemas here: ids that were given must be the same after a restart.
create database registry;
